import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Service } from '../hear/service.ts';
import { ATTACKS } from './attacks.ts';

export const HOSTILE_KEYS = 3;

export async function sandboxKeys({ url }: Service): Promise<string[]> {
  const email = 'hostile@example.com';
  const made = await fetch(`${url}/auth/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: 'a long password' }),
  });
  const { api_key } = (await made.json()) as { api_key: string };
  const signedIn = await fetch(`${url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: 'a long password' }),
  });
  const { token } = (await signedIn.json()) as { token: string };
  const keys = [api_key];
  while (keys.length < HOSTILE_KEYS) {
    const answer = await fetch(`${url}/v1/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'more', environment: 'sandbox', scopes: ['*'] }),
    });
    const more = (await answer.json()) as { api_key?: string };
    if (more.api_key === undefined) throw new Error(`no key for the hostile tenant: ${answer.status}`);
    keys.push(more.api_key);
  }
  return keys;
}

export async function startHostile(
  { url }: Service,
  keys: readonly string[],
  sockets: number,
  kinds: string = ATTACKS.join(','),
): Promise<ChildProcess> {
  const child = fork(
    new URL('./hostile.js', import.meta.url),
    [url, keys.join(','), String(sockets), kinds],
    {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    },
  );
  await once(child, 'message');
  return child;
}
