import { afterEach } from 'vitest';
import type { Databases } from '../../../foundation/storage/databases.ts';
import { type App, openApp } from './app.ts';

export const OPERATOR = 'operator-token-of-the-tests';
export const SIGNUP = { email: 'Ana@Example.com', password: 'long enough' };
export const DAY = 86_400_000;

export function accountsOn(databases: Databases) {
  const apps: App[] = [];
  afterEach(async () => {
    for (const app of apps.splice(0)) await app.close();
  });
  async function open(options: Parameters<typeof openApp>[1] = {}) {
    const app = await openApp(await databases.open(), { operatorToken: OPERATOR, ...options });
    apps.push(app);
    return app;
  }
  async function signIn(app: App): Promise<string> {
    await app.ask('POST', '/auth/signup', { body: SIGNUP });
    const { body } = await app.ask('POST', '/auth/login', { body: SIGNUP });
    return body.token;
  }
  return { open, signIn };
}
