import { inspect } from 'node:util';
import { SETTINGS, type SettingName, type Settings } from './settings.ts';

const HIDDEN = '[secret]';

export function redacted(settings: Settings): Record<SettingName, unknown> {
  const shown: Record<string, unknown> = {};
  for (const name of Object.keys(SETTINGS) as SettingName[]) {
    const value = settings[name];
    const entry = SETTINGS[name];
    const secret = 'secret' in entry ? entry.secret : undefined;
    if (value === null || secret === undefined) shown[name] = value;
    else shown[name] = secret === 'whole' ? HIDDEN : withoutPassword(String(value));
  }
  return shown as Record<SettingName, unknown>;
}

function withoutPassword(text: string): string {
  if (!URL.canParse(text)) return HIDDEN;
  const url = new URL(text);
  if (url.password !== '') url.password = '***';
  // A key may also hide in the query of a URL.
  if (url.search !== '') url.search = '?***';
  return url.href;
}

/** Freezes the settings, so that no accidental print, log or serialization shows a secret. */
export function protect(settings: Settings): Settings {
  const show = () => redacted(settings);
  Object.defineProperty(settings, 'toJSON', { value: show });
  Object.defineProperty(settings, inspect.custom, { value: show });
  return Object.freeze(settings);
}
