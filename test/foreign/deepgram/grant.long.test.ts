import { createReadStream } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { World } from '../../contract/world.ts';
import { npmMissing, required } from '../../edge/surfaces/compat/vendors.ts';
import { absent, RECORDING } from '../../media/codec/recordings.ts';

// biome-ignore lint/suspicious/noExplicitAny: the client is installed when the test runs: nothing here has its types.
type Client = any;

const missing = absent || npmMissing();
const world = missing ? null : await World.open();
afterAll(() => world?.stop());

const clientWith = (credential: { apiKey: string } | { accessToken: string }): Client => {
  const { DeepgramClient } = required('@deepgram/sdk') as Client;
  const base = `${world!.url}/deepgram`;
  const socket = base.replace('http', 'ws');
  return new DeepgramClient({
    ...credential,
    environment: { base, production: socket, agent: socket, agentRest: base },
  });
};

const grant = async (ttl_seconds?: number): Promise<{ access_token: string; expires_in: number }> =>
  clientWith({ apiKey: world!.ours.key }).auth.v1.tokens.grant(
    ttl_seconds === undefined ? {} : { ttl_seconds },
  );

async function spoken(client: Client): Promise<number> {
  const answer = await client.speak.v1.audio.generate({ text: 'Hello there.', model: 'aura-2-thalia-en' });
  return Buffer.from(await answer.arrayBuffer()).length;
}

async function spokenLive(accessToken: string, text: string): Promise<number> {
  const client = clientWith({ accessToken });
  const connection = await client.speak.v1.connect({
    model: 'aura-2-thalia-en',
    Authorization: `Bearer ${accessToken}`,
  });
  let bytes = 0;
  let flushed = 0;
  connection.on('message', (message: Client) => {
    if (typeof message?.arrayBuffer === 'function') bytes += message.size;
    else if (ArrayBuffer.isView(message) || message instanceof ArrayBuffer) bytes += message.byteLength;
    else if (message.type === 'Flushed') flushed += 1;
  });
  connection.connect();
  await connection.waitForOpen();
  const parts = text.split('|');
  for (const part of parts) {
    connection.sendText({ type: 'Speak', text: part });
    connection.sendFlush({ type: 'Flush' });
  }
  await expect.poll(() => flushed, { timeout: 30_000 }).toBe(parts.length);
  connection.close();
  return bytes;
}

describe.skipIf(missing || world?.ready === false)(
  'a grant of Deepgram’s client',
  { timeout: 60_000 },
  () => {
    it('hears and speaks any number of times, and manages nothing', async () => {
      const { access_token: accessToken, expires_in } = await grant();
      expect(expires_in).toBe(30);
      const client = clientWith({ accessToken });
      expect(await spoken(client)).toBeGreaterThan(1000);
      expect(await spoken(client)).toBeGreaterThan(1000);
      const { results } = await client.listen.v1.media.transcribeFile(createReadStream(RECORDING), {
        model: 'nova-3',
        language: 'en',
      });
      expect(results.channels[0].alternatives[0].transcript).toContain('rinting');
      await expect(client.manage.v1.projects.list()).rejects.toMatchObject({ statusCode: 403 });
      await expect(client.auth.v1.tokens.grant({})).rejects.toMatchObject({ statusCode: 403 });
    });

    it('opens connections, which speak more than once', async () => {
      const { access_token } = await grant(60);
      expect(await spokenLive(access_token, 'Hello there.|And good bye to you.')).toBeGreaterThan(20_000);
      expect(await spokenLive(access_token, 'Hello again.')).toBeGreaterThan(10_000);
    });

    it('opens no session of Omni, and no page’s token hears', async () => {
      const { access_token } = await grant();
      const post = (path: string, key: string, body = {}, type = 'application/json') =>
        world!.send(path, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': type },
          body: JSON.stringify(body),
        });
      expect((await post('/v1/omni/webrtc', access_token, {}, 'application/sdp')).status).toBe(403);
      const secret = await post('/v1/realtime/client_secrets', world!.ours.key);
      const { value } = secret.json as { value: string };
      expect((await post('/deepgram/v1/speak', value.replace('ek_', ''), { text: 'Hello.' })).status).toBe(
        403,
      );
    });

    it('is over when its time is, and refuses a time that is none', async () => {
      const { access_token: accessToken } = await grant(1);
      await expect
        .poll(
          () =>
            spoken(clientWith({ accessToken })).then(
              () => 200,
              ({ statusCode }: Client) => statusCode,
            ),
          { timeout: 20_000 },
        )
        .toBe(401);
      const headers = { authorization: `Token ${world!.ours.key}` };
      const bare = await world!.send('/deepgram/v1/auth/grant', { method: 'POST', headers });
      expect([bare.status, (bare.json as { expires_in: number }).expires_in]).toEqual([200, 30]);
      await expect(grant(0)).rejects.toMatchObject({ statusCode: 400 });
      await expect(grant(3601)).rejects.toMatchObject({ statusCode: 400 });
    });
  },
);
