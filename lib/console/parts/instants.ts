/** Formats instants and durations in the user's time zone. */
import { lazily } from '#text/lazily.ts';

// A browser's first date format takes 20 ms, which pages without dates must not pay.
const clockFormat = lazily(
  () => new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' }),
);
const dayFormat = (year: 'numeric' | undefined) =>
  lazily(
    () =>
      new Intl.DateTimeFormat('en-GB', {
        ...{ day: 'numeric', month: 'short', year },
        ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
      }),
  );
const thisYearFormat = dayFormat(undefined);
const anyYearFormat = dayFormat('numeric');
const minuteFormat = lazily(
  () => new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }),
);
const exactFormat = lazily(
  () =>
    new Intl.DateTimeFormat('en-GB', {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      fractionalSecondDigits: 3,
      timeZoneName: 'short',
    }),
);

export const clockText = (ms: number) => clockFormat().format(ms);

/** The time of day, with the day where it is not that of `nowMs`, and with the year where it is not either. */
export function momentText(ms: number, nowMs: number): string {
  const [date, today] = [new Date(ms), new Date(nowMs)];
  if (date.toDateString() === today.toDateString()) return clockText(ms);
  const isThisYear = date.getFullYear() === today.getFullYear();
  return (isThisYear ? thisYearFormat : anyYearFormat)().format(ms);
}

export const minuteText = (ms: number) => minuteFormat().format(ms);
export const exactText = (ms: number) => exactFormat().format(ms);

/** A measured duration: "12 ms", "1.24 s", "3 min 5 s". What is rounded up to a whole unit is in the next one. */
export function lengthText(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_995) return `${(ms / 1_000).toFixed(2).replace(/\.?0+$/, '')} s`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1).replace(/\.0$/, '')} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return joined(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  const minutes = Math.round(seconds / 60);
  if (minutes < 1_440) return joined(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  const hours = Math.round(minutes / 60);
  return joined(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

/** A remaining time, to the second: "0:07", "12:30", "1:02:03". */
export function countdownText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = two(seconds % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

function joined(large: number, unit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smallUnit}`;
}
