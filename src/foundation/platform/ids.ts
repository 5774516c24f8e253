import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export type IdPrefix =
  | 'org'
  | 'proj'
  | 'usr'
  | 'key'
  | 'job'
  | 'ocl'
  | 'agt'
  | 'trun'
  | 'tool'
  | 'kb'
  | 'doc'
  | 'crawl'
  | 'gap'
  | 'vc'
  | 'vdr'
  | 'cand'
  | 'vd'
  | 'amd'
  | 'trace'
  | 'rcp'
  | 'num'
  | 'reg'
  | 'ncc'
  | 'wan'
  | 'wcall'
  | 'msg'
  | 'mho'
  | 'tcl'
  | 'camp'
  | 'ttgt'
  | 'vmail'
  | 'cast'
  | 'rend'
  | 'line'
  | 'dub'
  | 'evt'
  | 'dst'
  | 'pvk'
  | 'hook'
  | 'tpack'
  | 'up'
  | 'ext'
  | 'ccor'
  | 'req'
  | 'use'
  | 'hold'
  | 'utt'
  | 'sess'
  | 'tok'
  | 'led'
  | 'inv'
  | 'invt'
  | 'tres'
  | 'tcon'
  | 'tatt'
  | 'sc'
  | 'aud'
  | 'era'
  | 'mem'
  | 'dlv'
  | 'mail'
  | 'node';

// One call for many bytes: a call for each id took four times as long.
const POOL_BYTES = 4096;
let pool = randomBytes(POOL_BYTES);
let used = 0;

function randomByte(): number {
  if (used === POOL_BYTES) {
    pool = randomBytes(POOL_BYTES);
    used = 0;
  }
  return pool[used++] as number;
}

export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    const byte = randomByte();
    if (byte < 248) text += ALPHABET[byte % 62];
  }
  return text;
}

export const newId = (prefix: IdPrefix): string => `${prefix}_${randomBase62(20)}`;

const BODY = /^[0-9A-Za-z]{20}$/;

export const isId = (prefix: IdPrefix, text: string): boolean =>
  text.startsWith(`${prefix}_`) && BODY.test(text.slice(prefix.length + 1));
