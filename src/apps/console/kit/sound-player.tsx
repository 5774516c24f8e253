import { useEffect, useState } from 'preact/hooks';
import { type DecodedSound, decodeSound } from '../data/sound.ts';
import { t } from '../i18n/index.ts';
import { ErrorNotice } from './page.tsx';
import { type Player, usePlayer } from './player.ts';
import { Waveform, type WaveformProps } from './waveform.tsx';

const DRAWN_HERTZ = 8_000;

export function useSound(blob: Blob | null) {
  const [sound, setSound] = useState<DecodedSound | null>(null);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    setSound(null);
    setError(null);
    if (blob === null) return;
    decodeSound(blob, DRAWN_HERTZ).then(setSound, () =>
      setError(new Error(t('The browser cannot decode this file.'))),
    );
  }, [blob]);
  return { sound, error };
}

export interface SoundPlayerProps {
  readonly blob: Blob;
  readonly label: string;
  readonly player?: Player;
  readonly plays?: boolean;
  readonly marks?: WaveformProps['marks'];
  readonly spans?: WaveformProps['spans'];
}

export function SoundPlayer({ blob, label, player: given, plays, marks, spans = [] }: SoundPlayerProps) {
  const own = usePlayer();
  const player = given ?? own;
  const [url, setUrl] = useState('');
  const { sound, error } = useSound(blob);
  useEffect(() => {
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return (
    <>
      <ErrorNotice error={error} />
      {sound !== null && (
        <Waveform
          only="agent"
          label={label}
          peaks={sound.peaks}
          spans={spans}
          at={player.seconds}
          onSeek={player.seek}
          onToggle={player.toggle}
          {...(marks === undefined ? {} : { marks })}
        />
      )}
      {url !== '' && (
        <div class="row player">
          {/* biome-ignore lint/a11y/useMediaCaption: the words stand beside it. */}
          <audio
            ref={player.audio}
            controls
            autoplay={plays ?? false}
            src={url}
            aria-label={label}
            onTimeUpdate={player.moved}
            onSeeked={player.moved}
          />
        </div>
      )}
    </>
  );
}
