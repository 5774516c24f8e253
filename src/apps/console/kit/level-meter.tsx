import { number } from '../data/format.ts';
import { t } from '../i18n/index.ts';

export const SILENCE_DBFS = -90;
/** A lower level cannot be distinguished from silence on a telephone. */
const QUIETEST = -60;

/** Screen readers read the meter on request and do not announce its changes. */
export function LevelMeter({ label, dbfs, side }: { label: string; dbfs: number; side: 'user' | 'agent' }) {
  const value = Math.max(QUIETEST, Math.min(0, dbfs));
  const words = dbfs <= SILENCE_DBFS ? t('silent') : t('{n} dB', { n: number(dbfs) });
  return (
    <div class={`level ${side}`}>
      <span>{label}</span>
      <meter min={QUIETEST} max={0} value={value} aria-label={label} aria-valuetext={words}>
        {words}
      </meter>
      <span class="quiet words">{words}</span>
    </div>
  );
}
