/**
 * The identity provider is real and runs in a process of its own: any name signs in, and an address counts as
 * verified unless it begins with `unverified-`.
 */
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const [redirectUri] = process.argv.slice(2);
const server = createServer();
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;
const provider = new Provider(issuer, {
  clients: [{ client_id: 'trunkline', client_secret: 'a secret of the test', redirect_uris: [redirectUri] }],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  findAccount: (_context, sub) => ({
    accountId: sub,
    claims: async () => ({
      sub,
      email: sub.replace('unverified-', ''),
      email_verified: !sub.startsWith('unverified-'),
      name: sub.split('@')[0],
    }),
  }),
});
server.on('request', provider.callback());
process.stdout.write(`${issuer}\n`);
