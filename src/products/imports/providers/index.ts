import type { Reader } from '../contract.ts';
import { aircall } from './aircall.ts';
import { generic } from './generic.ts';

export const PROVIDERS = { aircall, generic } as const satisfies Readonly<Record<string, Reader>>;
export type Provider = keyof typeof PROVIDERS;

export const isProvider = (text: string): text is Provider => Object.hasOwn(PROVIDERS, text);
export { milliseconds } from './fields.ts';
