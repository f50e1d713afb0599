"""`dataclass` as in the standard library, but its methods are written when the first instance is made.

The standard one writes and compiles up to a dozen methods for each class at import, 0.4 ms a class. A run over one
sound file imports 70 of them, and makes instances of half; the other half took a tenth of its time. What a class is in
the end is the same: the standard library writes the methods, only later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    import dataclasses
    import reprlib
    from threading import RLock

    _waiting = {}
    _lock = RLock()

    def dataclass(cls=None, /, **options):
        """Declare a class; takes what the standard decorator takes."""
        if cls is None:
            return lambda cls: _declared(cls, options)
        return _declared(cls, options)

    def _declared(plain, options):
        slots = options.pop("slots", False)
        made = _slotted(plain) if slots else plain
        made.__init__ = _complete_and_init
        if "__reduce__" not in vars(plain):
            made.__reduce__ = _reduced
        _waiting[made] = plain, options
        return made

    def _slotted(plain):
        """The class once more with slots, which cannot be added to a class that is there."""
        names = [name for name, kind in plain.__annotations__.items() if not str(kind).startswith("ClassVar")]
        left_out = {*names, "__dict__", "__weakref__"}
        namespace = {name: value for name, value in vars(plain).items() if name not in left_out}
        made = type(plain)(plain.__name__, plain.__bases__, namespace | {"__slots__": tuple(names)})
        made.__qualname__ = plain.__qualname__
        return made

    def _complete_and_init(self, *arguments, **named):
        """Stands for `__init__` until the first instance is made."""
        with _lock:
            for cls in reversed(type(self).__mro__):
                if cls in _waiting:
                    _complete(cls, *_waiting.pop(cls))
        self.__init__(*arguments, **named)

    def _complete(made, plain, options):
        """Give a class the methods that the standard library writes."""
        del made.__init__
        before = dict(vars(plain))
        if options.get("repr", True) and "__repr__" not in before:
            options["repr"] = False  # one for all classes: to compile one for each takes 0.1 ms a class
            plain.__repr__ = _represent
        dataclasses.dataclass(**options)(plain)
        if made is plain:
            return
        slots = {*made.__slots__}
        for name, value in vars(plain).items():
            if name not in slots and (name not in before or value is not before[name]):
                setattr(made, name, value)

    @reprlib.recursive_repr()
    def _represent(self):
        """What the standard library writes: the class, and the fields with their values."""
        shown = (field.name for field in dataclasses.fields(self) if field.repr)
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    def _reduced(self):
        """Pickle by the arguments of `__init__`, so that an instance from elsewhere completes its class as well."""
        return type(self), tuple(getattr(self, name) for name in self.__match_args__)


__all__ = ["dataclass"]
