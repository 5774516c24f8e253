import { useEffect, useRef, useState } from 'preact/hooks';
import { fetchRaw, type Json } from '../data/api.ts';
import { length, percent } from '../data/format.ts';
import { microphoneStream } from '../data/microphone.ts';
import { t } from '../i18n/index.ts';
import { Form } from '../kit/form.tsx';
import { Icon } from '../kit/icon.tsx';
import { ErrorNotice } from '../kit/page.tsx';
import { SoundPlayer } from '../kit/sound-player.tsx';
import { notify } from '../kit/toast.tsx';

const LONGEST_MS = 120_000;

function useRecorder() {
  const [blob, setBlob] = useState<Blob | null>(null);
  const [seconds, setSeconds] = useState<number | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const stopper = useRef<() => void>(() => {});
  useEffect(() => () => stopper.current(), []);
  const begin = async () => {
    setError(null);
    setBlob(null);
    try {
      const stream = await microphoneStream();
      const recorder = new MediaRecorder(stream);
      const parts: Blob[] = [];
      const from = performance.now();
      const timer = setInterval(() => {
        setSeconds((performance.now() - from) / 1000);
        if (performance.now() - from > LONGEST_MS) stopper.current();
      }, 250);
      stopper.current = () => {
        stopper.current = () => {};
        clearInterval(timer);
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
  return { blob, seconds, error, begin, stop: () => stopper.current() };
}

export interface CloneVoiceProps {
  /** A sandbox key cannot clone voices. */
  readonly isAllowed: boolean;
  readonly made: () => void;
}

export function CloneVoice({ isAllowed, made }: CloneVoiceProps) {
  const { blob, seconds, error, begin, stop } = useRecorder();
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
        <p class="quiet">
          {t(
            'Voices are cloned in the live environment, by developers, admins and owners: choose Live above.',
          )}
        </p>
      </details>
    );
  return (
    <details class="card">
      <summary>{t('Clone a voice')}</summary>
      <p class="quiet">
        {t('Speak for 10 to 60 seconds, alone and without noise. The voice comes out similar, not the same.')}
      </p>
      <div class="row">
        {seconds === null ? (
          <button type="button" onClick={begin}>
            <Icon name="voice" /> {t('Record')}
          </button>
        ) : (
          <button type="button" class="main" onClick={stop}>
            <Icon name="stop" /> {t('Stop after {time}', { time: length(seconds) })}
          </button>
        )}
      </div>
      <ErrorNotice error={error} />
      {blob !== null && <SoundPlayer blob={blob} label={t('Your recording')} />}
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
            <strong>{voice.name}</strong> <code>{voice.id}</code>{' '}
            <meter min={0} max={1} value={voice.similarity} aria-label={t('Speaker similarity')} />{' '}
            {percent(voice.similarity)}
          </p>
          <p class="quiet">{voice.warning ?? voice.note}</p>
        </div>
      )}
    </details>
  );
}
