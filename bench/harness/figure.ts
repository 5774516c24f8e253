/** A measured value is compared with this goal. `atMost: 0.08` reads "at most 0.08 of the figure's unit". */
export type Goal = { atMost: number } | { atLeast: number } | { below: number } | { above: number };

export interface FigureInput {
  name: string;
  value: number;
  unit: string;
  goal?: Goal;
  peer?: string;
  peerValue?: number;
}

/** A line of the JSON report has null for absent parts, so that every line has the same keys. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  goal: string | null;
  holds: boolean | null;
  peer: string | null;
  peer_value: number | null;
  commit: string | null;
}

export function makeFigure(input: FigureInput, commit: string | null = null): Figure {
  if (input.name.length === 0) throw new TypeError('a figure needs a name');
  if (!Number.isFinite(input.value)) {
    throw new TypeError(`figure "${input.name}": value must be a finite number, received ${input.value}`);
  }
  return {
    name: input.name,
    value: input.value,
    unit: input.unit,
    goal: input.goal ? goalText(input.goal) : null,
    holds: input.goal ? goalHolds(input.goal, input.value) : null,
    peer: input.peer ?? null,
    peer_value: input.peerValue ?? null,
    commit,
  };
}

export function goalText(goal: Goal): string {
  if ('atMost' in goal) return `<= ${goal.atMost}`;
  if ('atLeast' in goal) return `>= ${goal.atLeast}`;
  if ('below' in goal) return `< ${goal.below}`;
  return `> ${goal.above}`;
}

export function goalHolds(goal: Goal, value: number): boolean {
  if ('atMost' in goal) return value <= goal.atMost;
  if ('atLeast' in goal) return value >= goal.atLeast;
  if ('below' in goal) return value < goal.below;
  return value > goal.above;
}

export function formatValue(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size >= 1000) return Math.round(value).toLocaleString('en-US');
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  if (size >= 0.095) return value.toFixed(2);
  return Number(value.toPrecision(2)).toString();
}
