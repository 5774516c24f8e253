import type { Adapter } from './adapter.ts';
import { crm } from './crm.ts';
import { email } from './email.ts';
import { s3 } from './s3.ts';
import { slack } from './slack.ts';
import { webhook } from './webhook.ts';

export const ADAPTERS = { webhook, slack, crm, s3, email } as const satisfies Readonly<
  Record<string, Adapter>
>;

export type Kind = keyof typeof ADAPTERS;
export const KINDS = Object.keys(ADAPTERS) as readonly Kind[];

/** A hook is a webhook that an automation tool registered itself. */
export type Stored = Kind | 'hook';
export const adapterOf = (kind: string): Adapter => (kind === 'hook' ? webhook : ADAPTERS[kind as Kind]);

export { type Adapter, type Outside, type Place, SettingsError } from './adapter.ts';
