export interface LocalTime {
  /** 1 is Monday. */
  readonly day: number;
  /** The time of day, such as `08:30`. */
  readonly time: string;
}

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
/** There are some 600 names of zones. Customers write names too, and any case of letters is valid. */
const MOST_FORMATS = 600;

/** A new format costs tens of microseconds, and its use one or two. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Throws RangeError for a zone that does not exist. */
export function localTime(at: number, zone: string): LocalTime {
  const parts = formatOf(zone).formatToParts(at);
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
  return { day: DAYS.indexOf(part('weekday')) + 1, time: `${part('hour')}:${part('minute')}` };
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  if (formats.size >= MOST_FORMATS) formats.clear();
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  formats.set(zone, format);
  return format;
}
