import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readWindow, transcribeJob } from '../../../../src/media/engine/kinds/transcribe.ts';
import { ffmpeg, absent as noRecordings, SPEECH } from '../../../media/codec/recordings.ts';
import { openAgent } from './agent.ts';
import { absent, type Client } from './server.ts';

function recording(path: string): Buffer {
  const args = ['-v', 'error', '-i', join(SPEECH, path), '-ac', '1', '-ar', '8000', '-f', 's16le', '-'];
  return spawnSync(ffmpeg, args, { maxBuffer: 1 << 26 }).stdout;
}

const ENGLISH = recording('asterisk_en/tt-allbusy.wav');
const SPANISH = [recording('asterisk_es/vm-sorry.wav'), recording('asterisk_es/vm-tooshort.wav')];

const SPANISH_ANSWER = 'Claro, con mucho gusto le ayudo. Dígame qué necesita hoy.';

const answers = (client: Client): number =>
  new Set(client.transcripts.filter(({ role, final }) => role === 'agent' && final).map((one) => one.turn_id))
    .size;

async function say(client: Client, pcm: Buffer): Promise<void> {
  const before = answers(client);
  await client.speak(pcm);
  await client.silenceUntil(() => answers(client) > before);
}

/** Says whether no audio came while this many frames of the caller were sent. */
function silentFor(client: Client, frames: number): () => boolean {
  let heard = -1;
  let quiet = 0;
  return () => {
    quiet = client.audio.length === heard ? quiet + 1 : 0;
    heard = client.audio.length;
    return quiet >= frames;
  };
}

const resampled = (pcm: Buffer): Buffer =>
  spawnSync(
    ffmpeg,
    ['-v', 'error', '-f', 's16le', '-ar', '8000', '-ac', '1', '-i', '-', '-ar', '16000', '-f', 's16le', '-'],
    {
      input: pcm,
      maxBuffer: 1 << 26,
    },
  ).stdout;

describe.skipIf(Boolean(absent) || Boolean(noRecordings))('the language of a caller', () => {
  it('is followed from the second utterance on: heard, answered and spoken, and the record says when and why', {
    timeout: 120_000,
  }, async () => {
    const opened = await openAgent(
      { persona: 'You are Maya.', languages: 'auto', builtin_tools: ['switch_language'] },
      {
        answers: ['All right, I will wait.', 'Sorry, how can I help you?', SPANISH_ANSWER, SPANISH_ANSWER],
      },
    );
    const { client, ack } = await opened.connect();
    expect(ack).toMatchObject({ language_active: 'en' });
    await say(client, ENGLISH);
    await say(client, SPANISH[0]!);
    expect(client.has('language_changed')).toBe(false);
    const before = client.audio.length;
    await say(client, SPANISH[1]!);
    const change = await client.event('language_changed');
    expect(change).toMatchObject({ from: 'en', to: 'es', reason: 'detected' });
    // A turn may be asked twice where its first text was a guess.
    const languages = opened.asked.map(({ language }) => language);
    expect(languages.length).toBeGreaterThanOrEqual(3);
    expect(languages).toEqual([...languages.slice(1).map(() => 'en'), 'es']);

    const said = client.transcripts.filter(({ role, final }) => role === 'user' && final);
    expect(said.map(({ text }) => text.toLowerCase())).toEqual([
      expect.stringMatching(/please hold/),
      expect.stringMatching(/lo siento/),
      expect.stringMatching(/mensaje/),
    ]);
    expect(change.turn_id).toBe(said[2]!.turn_id);

    await client.silenceUntil(silentFor(client, 75));
    const heard = await opened.engine
      .submit(transcribeJob, { last: true }, resampled(Buffer.concat(client.audio.slice(before))))
      .result();
    const [text] = readWindow(heard, 0).texts;
    expect(text).toMatchObject({ language: 'es', text: expect.stringMatching(/gusto|necesita/i) });

    client.control({ type: 'end' });
    await client.closed();
    expect(await opened.record(ack.call_id)).toMatchObject({
      language_changes: [
        { from: 'en', to: 'es', reason: 'detected', turn_id: said[2]!.turn_id, at_ms: expect.any(Number) },
      ],
    });
  });

  it('is left alone for an agent that names no languages', { timeout: 120_000 }, async () => {
    const opened = await openAgent({ persona: 'You are Maya.' });
    const { client, ack } = await opened.connect();
    await say(client, SPANISH[0]!);
    await say(client, SPANISH[1]!);
    client.control({ type: 'end' });
    await client.closed();
    expect(opened.asked.map(({ language }) => language)).toEqual(['en', 'en']);
    expect(await opened.record(ack.call_id)).not.toHaveProperty('language_changes');
  });
});
