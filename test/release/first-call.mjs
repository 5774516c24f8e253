/** Speaks a sentence and transcribes it at a server; as a program, at the server whose command it is given. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export async function transcriptOfSpeech(url, format = 'mp3') {
  const post = async (path, init) => {
    const answer = await fetch(url + path, { method: 'POST', ...init });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const { api_key: key } = await (await post('/v1/sandbox/keys', {})).json();
  const authorization = `Bearer ${key}`;
  const spoken = await post('/v1/audio/speech', {
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'svc-speak',
      voice: 'en1',
      input: 'Your appointment is tomorrow at nine.',
      response_format: format,
    }),
  });
  const body = new FormData();
  body.set('model', 'svc-hear');
  body.set('file', new Blob([await spoken.arrayBuffer()]), `said.${format}`);
  const heard = await post('/v1/audio/transcriptions', { headers: { authorization }, body });
  return (await heard.json()).text;
}

/** Starts the server and calls it when it says that it is ready. */
export async function firstCall([program, ...args], { env, format } = {}) {
  const server = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    for await (const line of createInterface({ input: server.stdout })) {
      console.log(line);
      const [, url] = /^ready (http:\S+)/.exec(line) ?? [];
      if (url) return await transcriptOfSpeech(url, format);
    }
    throw new Error('the server ended before it was ready');
  } finally {
    server.kill();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log(`heard: ${await firstCall(process.argv.slice(2))}`);
