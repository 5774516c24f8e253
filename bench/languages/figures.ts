import { type FigureInput, formatValue } from '../harness/index.ts';

/** A rate of 0.2 per hour cannot be told from less speech. */
const LEAST_HOURS = 5;
const MOST_PER_HOUR = 0.2;

export interface OneLanguage {
  readonly seconds: number;
  readonly utterances: number;
  readonly elsewhere: number;
  readonly switches: number;
}

export interface TwoLanguages {
  readonly from: string;
  readonly to: string;
  /** Utterances in the other language until the call followed; null when it did not. */
  readonly until: number | null;
  readonly back: number | null;
  readonly wrong: number;
  /** The numbers of utterances after each part of the call, and what was told of each utterance. */
  readonly marks?: readonly number[];
  readonly heard?: readonly object[];
}

export function falseSwitches(recorded: readonly OneLanguage[]): FigureInput {
  const hours = recorded.reduce((sum, { seconds }) => sum + seconds / 3600, 0);
  return {
    name: `false switches in ${formatValue(hours)} h of one-language speech, real recordings`,
    value: recorded.reduce((sum, { switches }) => sum + switches, 0),
    unit: '',
    ...(hours < LEAST_HOURS ? {} : { goal: { atMost: Math.floor(hours * MOST_PER_HOUR) } }),
  };
}

export function following(two: readonly TwoLanguages[]): readonly FigureInput[] {
  const unit = `% of ${two.length}`;
  const share = (holds: (of: TwoLanguages) => boolean): number =>
    (100 * two.filter(holds).length) / two.length;
  const by = (most: number) => share(({ until }) => until !== null && until <= most);
  return [
    { name: 'calls that follow by the second utterance', value: by(2), unit, goal: { atLeast: 95 } },
    { name: 'calls that follow by the third utterance', value: by(3), unit },
    {
      name: 'calls that go back within three utterances',
      value: share(({ back }) => back !== null && back <= 3),
      unit,
    },
  ];
}
