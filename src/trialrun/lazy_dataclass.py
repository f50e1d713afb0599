"""`dataclass` as in the standard library, but its methods are written when the first instance is made.

The standard one writes and compiles up to a dozen methods for each class at import, 3 million instructions a class. A
run over one sound file imports 120 of them, and makes instances of 45. Here a class costs little until then, and then
one method is compiled, `__init__`; the others are the same functions for all classes. What a class is in the end is the
same, and the standard library knows it. A class with features that nothing here uses (keyword-only fields, `InitVar`)
is left to the standard library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    import dataclasses
    from operator import attrgetter
    from reprlib import recursive_repr
    from threading import RLock
    from types import MemberDescriptorType, SimpleNamespace

    _waiting = {}
    _lock = RLock()
    _DEFAULTS = {"init": True, "repr": True, "eq": True, "order": False, "unsafe_hash": False, "frozen": False}
    _WRITTEN = {"eq", "order", "frozen"}
    _set_attribute = object.__setattr__

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
                    _complete(cls, *_waiting[cls])
                    del _waiting[cls]  # last: what fails near the limit of recursion is done again
        self.__init__(*arguments, **named)

    def _complete(made, plain, options):
        """Give a class the methods of a dataclass."""
        fields = vars(made).get("__dataclass_fields__") or _fields(made, plain)
        if options.keys() <= _WRITTEN and all(map(_is_common, fields.values())):
            _add_methods(made, fields, SimpleNamespace(**(_DEFAULTS | options)))
        else:
            _complete_by_standard_library(made, plain, options)

    def _fields(made, plain):
        """The fields of a class by name, after those of the classes above it."""
        fields = {}
        for above in made.__mro__[-1:0:-1]:
            fields |= getattr(above, "__dataclass_fields__", {})
        for name, kind in vars(plain).get("__annotations__", {}).items():
            default = vars(plain).get(name, dataclasses.MISSING)
            field = default if isinstance(default, dataclasses.Field) else dataclasses.field(default=default)
            field.name, field.type, field._field_type = name, kind, _field_type(kind)
            field.kw_only = field.kw_only is True
            fields[name] = field
        return fields

    def _field_type(kind):
        if "ClassVar" in str(kind):
            return dataclasses._FIELD_CLASSVAR
        return None if "InitVar" in str(kind) or "KW_ONLY" in str(kind) else dataclasses._FIELD

    def _is_common(field):
        """Whether a field has only features that are written here."""
        if field._field_type is dataclasses._FIELD_CLASSVAR:
            return True
        return field._field_type is not None and field.init and not field.kw_only and field.hash is None

    def _add_methods(made, all_fields, options):
        """What the standard library gives a class; methods of the class itself are kept."""
        fields = [field for field in all_fields.values() if field._field_type is dataclasses._FIELD]
        for field in fields:
            if field.default.__class__.__hash__ is None:
                raise ValueError(f"mutable default for field {field.name}: use default_factory")
        init = _init_method(made, fields, options)
        made.__dataclass_fields__, made.__dataclass_params__ = all_fields, options
        own = {name: value for name, value in vars(made).items() if name != "__init__"}
        for field in fields:
            if isinstance(own.get(field.name), dataclasses.Field):
                if field.default is dataclasses.MISSING:
                    delattr(made, field.name)
                else:
                    setattr(made, field.name, field.default)
        methods = {"__repr__": _represent} | _comparisons(fields, options)
        if options.frozen:
            names = frozenset(field.name for field in fields)
            methods |= {"__setattr__": _frozen_setattr(made, names), "__delattr__": _frozen_delattr(made, names)}
        methods["__match_args__"] = tuple(field.name for field in fields)
        for name, method in methods.items():
            if name not in own or (name == "__hash__" and own[name] is None):
                setattr(made, name, method)
        made.__init__ = init  # last, since another thread may make an instance

    def _init_method(made, fields, options):
        """`__init__`, the one method that is compiled: its parameters are the fields."""
        known, parameters, lines = {"_set": _set_attribute}, [], []
        for field in fields:
            name, value = field.name, field.name
            if field.default_factory is not dataclasses.MISSING:
                known |= {f"_factory_{name}": field.default_factory, "_unset": dataclasses._HAS_DEFAULT_FACTORY}
                parameters.append(f"{name}=_unset")
                value = f"_factory_{name}() if {name} is _unset else {name}"
            elif field.default is not dataclasses.MISSING:
                known[f"_default_{name}"] = field.default
                parameters.append(f"{name}=_default_{name}")
            else:
                parameters.append(name)
            slot = getattr(made, name, None) if options.frozen else None
            if isinstance(slot, MemberDescriptorType):
                known[f"_set_{name}"] = slot.__set__  # takes two thirds of the time of object.__setattr__
                lines.append(f" _set_{name}(self,{value})")
            else:
                lines.append(f" _set(self,{name!r},{value})" if options.frozen else f" self.{name}={value}")
        if hasattr(made, "__post_init__"):
            lines.append(" self.__post_init__()")
        exec(f"def __init__({','.join(['self', *parameters])}):\n" + ("\n".join(lines) or " pass"), known)
        method = known["__init__"]
        method.__qualname__ = f"{made.__qualname__}.__init__"
        return method

    def _comparisons(fields, options):
        """The methods that compare instances by their values, and `__hash__`."""
        values = _values_of([field.name for field in fields if field.compare])
        methods = {}
        if options.eq:

            def __eq__(self, other):
                return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

            methods["__eq__"] = __eq__
            methods["__hash__"] = (lambda self: hash(values(self))) if options.frozen else None
        if options.order:
            methods |= _orders(values)
        return methods

    def _values_of(names):
        """What takes the values of some fields of an instance, as a tuple."""
        if len(names) > 1:
            return attrgetter(*names)
        return (lambda self: (getattr(self, names[0]),)) if names else (lambda self: ())

    def _orders(values):
        def __lt__(self, other):
            return values(self) < values(other) if other.__class__ is self.__class__ else NotImplemented

        def __le__(self, other):
            return values(self) <= values(other) if other.__class__ is self.__class__ else NotImplemented

        def __gt__(self, other):
            return values(self) > values(other) if other.__class__ is self.__class__ else NotImplemented

        def __ge__(self, other):
            return values(self) >= values(other) if other.__class__ is self.__class__ else NotImplemented

        return {"__lt__": __lt__, "__le__": __le__, "__gt__": __gt__, "__ge__": __ge__}

    def _frozen_setattr(made, names):
        def __setattr__(self, name, value):
            if type(self) is made or name in names:
                raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
            super(made, self).__setattr__(name, value)

        return __setattr__

    def _frozen_delattr(made, names):
        def __delattr__(self, name):
            if type(self) is made or name in names:
                raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
            super(made, self).__delattr__(name)

        return __delattr__

    def _complete_by_standard_library(made, plain, options):
        del made.__init__
        before = dict(vars(plain))
        if options.get("repr", True) and "__repr__" not in before:
            options["repr"] = False
            plain.__repr__ = _represent
        dataclasses.dataclass(**options)(plain)
        if made is plain:
            return
        slots = {*made.__slots__}
        for name, value in vars(plain).items():
            if name not in slots and (name not in before or value is not before[name]):
                setattr(made, name, value)

    @recursive_repr()
    def _represent(self):
        """What the standard library writes: the class, and the fields with their values."""
        shown = (field.name for field in dataclasses.fields(self) if field.repr)
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    def _reduced(self):
        """Pickle by the arguments of `__init__`, so that an instance from elsewhere completes its class as well."""
        return type(self), tuple(getattr(self, name) for name in self.__match_args__)


__all__ = ["dataclass"]
