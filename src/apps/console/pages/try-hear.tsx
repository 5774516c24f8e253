import { useEffect, useRef, useState } from 'preact/hooks';
import { fetchRaw, type Json, put } from '../data/api.ts';
import { length, number } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { MicrophoneCapture } from '../data/microphone.ts';
import { openSocket } from '../data/sound.ts';
import { t } from '../i18n/index.ts';
import { Choose } from '../kit/choose.tsx';
import { Code, curlOf } from '../kit/code.tsx';
import { Form } from '../kit/form.tsx';
import { Icon } from '../kit/icon.tsx';
import { ErrorNotice, Page } from '../kit/page.tsx';
import { usePlayer } from '../kit/player.ts';
import { SoundPlayer } from '../kit/sound-player.tsx';
import { TranscriptList } from '../kit/transcript-list.tsx';
import { HEARD_LANGUAGES, nameOfLanguage, recognizedPoorly } from './languages.ts';
import { TimedWords, type Word } from './timed-words.tsx';

const RATE = 16_000;

export function TryHear() {
  const [spoken, setSpoken] = useState('auto');
  return (
    <Page
      title={t('Recognition')}
      lead={t('Speak or upload a recording, and see the words as they are recognized.')}
    >
      <div class="filters">
        <Choose
          label={t('Language')}
          value={spoken}
          options={[
            ['auto', t('Detect automatically')],
            ...HEARD_LANGUAGES.map((code) => [code, nameOfLanguage(code)] as const),
          ]}
          onChange={setSpoken}
        />
        {spoken === 'hi' && <p class="hint">{recognizedPoorly()}</p>}
      </div>
      <div class="two">
        <Live spoken={spoken} />
        <Recorded spoken={spoken} />
      </div>
      <div class="two">
        <Terms />
        <section class="card">
          <h2>{t('The same from a program')}</h2>
          <Code
            samples={[
              [
                'curl',
                `${curlOf('POST', '/v1/audio/transcriptions')} \\\n  -F file=@call.wav -F response_format=verbose_json${spoken === 'auto' ? '' : ` -F language=${spoken}`}`,
              ],
              [
                'JavaScript',
                `const socket = new WebSocket(
  '${location.origin.replace('http', 'ws')}/v1/audio/transcriptions/stream?sample_rate=${RATE}&language=${spoken}',
  ['svc.v1', \`svc-key.\${key}\`],
);
socket.onmessage = ({ data }) => console.log(JSON.parse(data));
// Then send PCM of 16 bits as binary messages.`,
              ],
            ]}
          />
        </section>
      </div>
    </Page>
  );
}

interface Utterance {
  readonly id: string;
  readonly text: string;
  readonly words: readonly Word[];
  readonly isFinal: boolean;
}

function withFrame(known: readonly Utterance[], frame: Json): readonly Utterance[] {
  const next = {
    id: frame.utterance_id,
    text: frame.text,
    words: frame.words ?? [],
    isFinal: frame.type === 'final',
  };
  const rest = known.filter(({ id }) => id !== next.id);
  return next.text === '' ? rest : [...rest, next];
}

function Live({ spoken }: { readonly spoken: string }) {
  const [utterances, setUtterances] = useState<readonly Utterance[]>([]);
  const [isOn, setOn] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const stopper = useRef<() => void>(() => {});
  useEffect(() => () => stopper.current(), []);
  const begin = async () => {
    setError(null);
    setUtterances([]);
    try {
      const query = `sample_rate=${RATE}${spoken === 'auto' ? '' : `&language=${spoken}`}`;
      const socket = await openSocket(`/v1/audio/transcriptions/stream?${query}`);
      socket.onmessage = ({ data }) => {
        const frame = JSON.parse(String(data));
        if (frame.type === 'error') setError(new Error(frame.error.message));
        else if (frame.utterance_id) setUtterances((known) => withFrame(known, frame));
      };
      socket.onclose = () => {
        stopper.current();
        setOn(false);
      };
      const microphone = await MicrophoneCapture.open(RATE, (pcm) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(pcm);
      });
      stopper.current = () => {
        stopper.current = () => {};
        microphone.close();
        if (socket.readyState === WebSocket.OPEN) socket.send('{"type":"close"}');
      };
      setOn(true);
    } catch (thrown) {
      setError(thrown as Error);
    }
  };
  return (
    <section class="card" aria-label={t('Microphone')}>
      <h2>{t('Microphone')}</h2>
      <p>
        {isOn ? (
          <button type="button" class="main" onClick={() => stopper.current()}>
            <Icon name="stop" /> {t('Stop listening')}
          </button>
        ) : (
          <button type="button" class="main" onClick={begin}>
            <Icon name="voice" /> {t('Listen to the microphone')}
          </button>
        )}
      </p>
      <ErrorNotice error={error} />
      <div aria-live="polite">
        {utterances.map(({ id, text, words, isFinal }) =>
          isFinal ? (
            <TimedWords key={id} words={words} text={text} />
          ) : (
            <p key={id} class="partial">
              {text}
            </p>
          ),
        )}
      </div>
      {utterances.length === 0 && (
        <p class="quiet">{isOn ? t('Say something.') : t('Nothing was said yet.')}</p>
      )}
    </section>
  );
}

interface HeardFile {
  readonly file: File;
  readonly answer: Json;
  readonly tookMs: number;
}

function Recorded({ spoken }: { readonly spoken: string }) {
  const [heard, setHeard] = useState<HeardFile | null>(null);
  const player = usePlayer();
  const hear = async ({ file, speakers }: Json) => {
    const form = new FormData();
    form.set('file', file);
    form.set('response_format', speakers ? 'diarized_json' : 'verbose_json');
    if (spoken !== 'auto') form.set('language', spoken);
    const from = performance.now();
    const answer = await (await fetchRaw('POST', '/v1/audio/transcriptions', form)).json();
    setHeard({ file, answer, tookMs: performance.now() - from });
  };
  return (
    <section class="card" aria-label={t('Recording')}>
      <h2>{t('Recording')}</h2>
      <Form
        submit={t('Recognize')}
        onSubmit={hear}
        fields={[
          { name: 'file', label: t('File'), kind: 'file', needed: true },
          { name: 'speakers', label: t('Label the speakers'), kind: 'check' },
        ]}
      />
      {heard !== null && (
        <>
          <SoundPlayer blob={heard.file} label={t('Recording')} player={player} />
          {heard.answer.segments?.[0]?.speaker === undefined ? (
            <TimedWords words={heard.answer.words ?? []} text={heard.answer.text} player={player} />
          ) : (
            <TranscriptList
              lines={heard.answer.segments.map(({ id, speaker, text, start }: Json) => ({
                key: id,
                role: t('Speaker {name}', { name: speaker }),
                text,
                startMs: start * 1000,
              }))}
              atMs={player.used ? player.seconds * 1000 : null}
              onSeek={(ms) => player.seek(ms / 1000)}
            />
          )}
          <p class="quiet small">
            {t('{length} of audio in {ms} ms', {
              length: length(heard.answer.duration),
              ms: number(heard.tookMs),
            })}
          </p>
        </>
      )}
    </section>
  );
}

/** The terms apply to the whole project, including its calls. */
function Terms() {
  const path = '/v1/hear/vocabulary';
  const { data, error } = useLoad(path);
  return (
    <section class="card" aria-label={t('Words to expect')}>
      <h2>{t('Words to expect')}</h2>
      <ErrorNotice error={error} />
      {data !== null && (
        <Form
          submit={t('Save')}
          fields={[
            {
              name: 'terms',
              label: t('Names and terms, one a line'),
              kind: 'list',
              value: data.terms.map(({ term }: Json) => term),
              hint: t('They hold for all of this project’s recognition.'),
            },
          ]}
          onSubmit={({ terms }) =>
            put(path, {
              terms: terms.map(
                (term: string) => data.terms.find((known: Json) => known.term === term) ?? { term },
              ),
              batch: { active: true },
              streaming: { active: true },
            })
          }
        />
      )}
    </section>
  );
}
