import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ffmpeg, SPEECH } from '../../../media/codec/recordings.ts';

const RATE = 8000;

export const silence = (seconds: number): Uint8Array => new Uint8Array(Math.round(seconds * RATE)).fill(0xff);

export function recording(name: string): Uint8Array {
  const path = resolve(SPEECH, name);
  if (!existsSync(path)) throw new Error(`${name} is not among the recordings`);
  const args = ['-v', 'error', '-i', path, '-f', 'mulaw', '-ar', String(RATE), '-ac', '1', '-'];
  return Uint8Array.from(execFileSync(ffmpeg, args, { maxBuffer: 1 << 26 }));
}

export function tone(seconds: number, ...hertz: number[]): Uint8Array {
  const samples = new Uint8Array(Math.round(seconds * RATE));
  for (let at = 0; at < samples.length; ++at) {
    const value = hertz.reduce((sum, one) => sum + 0.2 * Math.sin((2 * Math.PI * one * at) / RATE), 0);
    samples[at] = ulaw(Math.round(value * 32767));
  }
  return samples;
}

export function joined(...parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export function ulaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  let magnitude = Math.min(32635, Math.abs(sample)) + 0x84;
  let exponent = 7;
  for (let mask = 0x4000; (magnitude & mask) === 0 && exponent > 0; mask >>= 1) exponent--;
  magnitude = (magnitude >> (exponent + 3)) & 0x0f;
  return ~(sign | (exponent << 4) | magnitude) & 0xff;
}
