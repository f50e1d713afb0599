// Texts for people: numbers, times, paths and values.
const plain = new Intl.NumberFormat("en-US");

function count(number) {
  return plain.format(number);
}

function plural(number, noun, nouns = `${noun}s`) {
  return `${count(number)} ${number === 1 ? noun : nouns}`;
}

function percent(share) {
  if (share === null || share === undefined) return "–";
  const value = share * 100;
  return `${value > 0 && value < 1 ? value.toFixed(1) : Math.round(value)} %`;
}

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = (number) => String(number).padStart(2, "0");

// `Mon 23 Nov 04:15 -06:00`, from an RFC 3339 time with that offset; the browser's own zone plays no part.
function localTime(text) {
  const parts = /^(\d+)-(\d\d)-(\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.exec(text);
  if (!parts) return text;
  const [, year, month, day, clock, offset] = parts;
  const weekday = DAYS[new Date(Date.UTC(+year, +month - 1, +day)).getUTCDay()];
  return `${weekday} ${+day} ${MONTHS[+month - 1]} ${clock} ${offset === "Z" ? "UTC" : offset}`;
}

function utcTime(text) {
  const time = new Date(text);
  const day = `${DAYS[time.getUTCDay()]} ${time.getUTCDate()} ${MONTHS[time.getUTCMonth()]}`;
  return `${day} ${two(time.getUTCHours())}:${two(time.getUTCMinutes())} UTC`;
}

function fullTime(text) {
  return `${utcTime(text).replace(/ (\d\d:)/, ` ${new Date(text).getUTCFullYear()} $1`)}`;
}

// The time between two, with its two largest units: `in 3 h 12 min`.
function until(from, to) {
  const minutes = Math.floor((new Date(to) - new Date(from)) / 60000);
  if (minutes < 60) return `in ${minutes} min`;
  if (minutes < 1440) return `in ${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `in ${Math.floor(minutes / 1440)} d ${Math.floor((minutes % 1440) / 60)} h`;
}

// A path without its beginning where it is long, so that the end stays visible.
function shortPath(path, most = 44) {
  const cut = path.slice(-most);
  return cut === path ? path : `…${cut.slice(Math.max(0, cut.indexOf("/")))}`;
}

// A path or a name, which breaks between its parts, and within a part only where that is very long.
function unbroken(text, ends = /(?<=\/)/) {
  return text.split(ends).map((part) => [part.length > 28 ? part : h("span.unbroken", part), h("wbr")]);
}

function place(path, line) {
  const where = line ? `${path}:${line}` : path;
  const shown = shortPath(where, 80);
  return h("span.place", { title: shown === where ? null : where }, unbroken(shown));
}

function endOfName(name) {
  return String(name).split("/").pop();
}

function valueText(value) {
  if (value === undefined) return "";
  if (typeof value === "string") return value;
  return JSON.stringify(value);
}

// A long text, of which the beginning is shown until somebody asks for the rest.
function clipped(text, most = 400) {
  const whole = String(text);
  if (whole.length <= most) return h("span.text", whole);
  const shown = h("span.text", `${whole.slice(0, most)}… `);
  const more = button(`Show all ${count(whole.length)} characters`, () => {
    shown.replaceChildren(document.createTextNode(visible(whole)));
    shown.tabIndex = -1;
    shown.focus();
  }, { class: "quiet" });
  shown.append(more);
  return shown;
}

// The names that are nearest to one that does not exist, by the letters that differ.
function nearestNames(name, names, most = 5) {
  const wanted = name.toLowerCase().slice(0, 80);
  const scored = names.map((known) => [distance(wanted, known.toLowerCase().slice(0, 80)), known]);
  scored.sort(([a, one], [b, other]) => a - b || (one < other ? -1 : 1));
  return scored.slice(0, most).map(([, known]) => known);
}

function distance(one, other) {
  let above = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const change = above[column - 1] + (one[row - 1] === other[column - 1] ? 0 : 1);
      current.push(Math.min(change, above[column] + 1, current[column - 1] + 1));
    }
    above = current;
  }
  return above[other.length];
}
