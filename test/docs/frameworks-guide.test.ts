import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const at = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
const guide = at('docs/guides/frameworks.md');

const named = (script: string, pattern: RegExp): string[] => [
  ...new Set([...at(script).matchAll(pattern)].map(([, name = '']) => name.split(' ')[0] as string)),
];

it.each([
  ['test/foreign/pipecat/services.py', /^ {4}"(\w+Service[^"]*)": lambda/gm],
  ['test/foreign/livekit/plugins.py', /^ {4}"((?:openai|deepgram|elevenlabs)\.[^"]*)": lambda/gm],
])('has each of %s', (script, pattern) => {
  const names = named(script, pattern);
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) expect(guide).toContain(`\`${name}\``);
});

it('has the versions', () => {
  const vendors = at('test/edge/surfaces/compat/vendors.ts');
  for (const [, version = ''] of vendors.matchAll(/(?:pipecat-ai\[[^\]]*\]|livekit-agents)==([\d.]+)/g))
    expect(guide).toContain(`(${version})`);
  for (const [, version = ''] of vendors.matchAll(/'@ai-sdk\/\w+': '([\d.]+)'/g))
    expect(guide).toContain(version);
});
