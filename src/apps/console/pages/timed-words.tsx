import { length } from '../data/format.ts';
import { t } from '../i18n/index.ts';
import type { Player } from '../kit/player.ts';

export interface Word {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

interface TimedWordsProps {
  readonly words: readonly Word[];
  readonly text: string;
  readonly player?: Player;
}

/** With a player, each word seeks to its time. */
export function TimedWords({ words, text, player }: TimedWordsProps) {
  if (words.length === 0) return <p>{text === '' ? t('Nobody speaks.') : text}</p>;
  const first = words[0] as Word;
  const last = words.at(-1) as Word;
  return (
    <p class="timed">
      {words.map(({ word, start, end }) => {
        const title = `${start.toFixed(2)} – ${end.toFixed(2)} s`;
        return player === undefined ? (
          <span key={start} title={title}>
            {word}{' '}
          </span>
        ) : (
          <button
            key={start}
            type="button"
            title={title}
            aria-current={player.used && player.seconds >= start && player.seconds < end ? 'true' : undefined}
            onClick={() => player.seek(start)}
          >
            {word}
          </button>
        );
      })}{' '}
      <span class="quiet small">
        {length(first.start)}–{length(last.end)}
      </span>
    </p>
  );
}
