import { useEffect, useRef, useState } from 'preact/hooks';
import { fetchRaw, type Json } from '../data/api.ts';
import { length, percent } from '../data/format.ts';
import { microphoneStream } from '../data/microphone.ts';
import { t } from '../i18n/index.ts';
import { Form } from '../kit/form.tsx';
import { Icon } from '../kit/icon.tsx';
import { LevelMeter, SILENCE_DBFS } from '../kit/level-meter.tsx';
import { ErrorNotice } from '../kit/page.tsx';
import { SoundPlayer } from '../kit/sound-player.tsx';
import { notify } from '../kit/toast.tsx';

const LONGEST_MS = 120_000;

/** Measures the level of the stream whenever it is asked, until the recorder stops. */
function levelOf(stream: MediaStream): { readonly dbfs: () => number; readonly close: () => void } {
  const context = new AudioContext();
  const analyser = new AnalyserNode(context, { fftSize: 4096 });
  context.createMediaStreamSource(stream).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  return {
    dbfs: () => {
      analyser.getFloatTimeDomainData(samples);
      const power = samples.reduce((sum, one) => sum + one * one, 0) / samples.length;
      return power === 0 ? SILENCE_DBFS : Math.max(SILENCE_DBFS, 10 * Math.log10(power));
    },
    close: () => void context.close(),
  };
}

function useRecorder() {
  const [blob, setBlob] = useState<Blob | null>(null);
  const [seconds, setSeconds] = useState<number | null>(null);
  const [dbfs, setDbfs] = useState(SILENCE_DBFS);
  const [error, setError] = useState<Error | null>(null);
  const stopper = useRef<() => void>(() => {});
  useEffect(() => () => stopper.current(), []);
  const begin = async () => {
    setError(null);
    setBlob(null);
    try {
      const stream = await microphoneStream();
      const recorder = new MediaRecorder(stream);
      const level = levelOf(stream);
      const parts: Blob[] = [];
      const from = performance.now();
      const timer = setInterval(() => {
        setSeconds((performance.now() - from) / 1000);
        setDbfs(level.dbfs());
        if (performance.now() - from > LONGEST_MS) stopper.current();
      }, 250);
      stopper.current = () => {
        stopper.current = () => {};
        clearInterval(timer);
        level.close();
        setSeconds(null);
        recorder.stop();
        for (const track of stream.getTracks()) track.stop();
      };
      recorder.ondataavailable = ({ data }) => parts.push(data);
      recorder.onstop = () => setBlob(new Blob(parts, { type: recorder.mimeType }));
      recorder.start();
      setSeconds(0);
    } catch (thrown) {
      setError(thrown as Error);
    }
  };
  return { blob, seconds, dbfs, error, begin, stop: () => stopper.current() };
}

export interface CloneVoiceProps {
  /** An analyst cannot clone voices. */
  readonly isAllowed: boolean;
  readonly made: () => void;
}

export function CloneVoice({ isAllowed, made }: CloneVoiceProps) {
  const { blob, seconds, dbfs, error, begin, stop } = useRecorder();
  const [voice, setVoice] = useState<Json>(null);
  const clone = async ({ name, file, consent }: Json) => {
    const recording: Blob | undefined = file ?? blob ?? undefined;
    if (recording === undefined) throw new Error(t('Record a voice, or choose a file.'));
    if (!consent) throw new Error(t('A voice is cloned only with the consent of its speaker.'));
    const form = new FormData();
    form.set('name', name);
    form.set('consent', 'true');
    form.set('file', recording, 'recording');
    setVoice(await (await fetchRaw('POST', '/v1/voice/clones', form)).json());
    made();
    notify(t('The voice was created.'));
  };
  if (!isAllowed)
    return (
      <details class="card">
        <summary>{t('Clone a voice')}</summary>
        <p class="quiet">{t('Your role only reads. Developers, admins and owners clone voices.')}</p>
      </details>
    );
  return (
    <details class="card">
      <summary>{t('Clone a voice')}</summary>
      <p class="quiet">
        {t('Speak for 10 to 60 seconds, alone and without noise. The voice comes out similar, not the same.')}
      </p>
      <p class="quiet small">{t('Read this aloud, or say whatever you like:')}</p>
      <blockquote>
        {t(
          'The north wind and the sun argued about which of them was the stronger, when a traveller came along in a warm coat. They agreed that whoever first made the traveller take off the coat was the stronger. Then the north wind blew as hard as it could, but the harder it blew, the closer the traveller held the coat.',
        )}
      </blockquote>
      <div class="row field">
        {seconds === null ? (
          <button type="button" onClick={begin}>
            <Icon name="voice" /> {t('Record')}
          </button>
        ) : (
          <button type="button" class="main" onClick={stop}>
            <Icon name="stop" /> {t('Stop after {time}', { time: length(seconds) })}
          </button>
        )}
        {seconds !== null && <LevelMeter label={t('Microphone')} side="user" dbfs={dbfs} />}
      </div>
      <ErrorNotice error={error} />
      {blob !== null && (
        <div class="field">
          <SoundPlayer blob={blob} label={t('Your recording')} />
        </div>
      )}
      <Form
        submit={t('Make the voice')}
        onSubmit={clone}
        fields={[
          { name: 'file', label: t('Or a file'), kind: 'file' },
          { name: 'name', label: t('Name of the voice'), needed: true },
          { name: 'consent', label: t('The speaker agrees that their voice is used'), kind: 'check' },
        ]}
      />
      {voice !== null && (
        <div role="status">
          <p>
            <strong>{voice.name}</strong> <code>{voice.id}</code>
          </p>
          <p>
            <meter min={0} max={1} value={voice.similarity} aria-label={t('Speaker similarity')} />{' '}
            {t('Speaker similarity: {share}', { share: percent(voice.similarity) })}
          </p>
          <p class="quiet">{voice.warning ?? voice.note}</p>
        </div>
      )}
    </details>
  );
}
