import { number } from '../data/format.ts';

export interface ShareBarsProps {
  readonly rows: readonly { readonly name: string; readonly value: number }[];
  readonly bad?: boolean;
}

const WIDTH = 100;

export function ShareBars({ rows, bad }: ShareBarsProps) {
  const most = Math.max(1, ...rows.map(({ value }) => value));
  return (
    <ul class="list">
      {rows.map(({ name, value }) => (
        <li key={name} class="share">
          <span>{name}</span>
          <svg viewBox={`0 0 ${WIDTH} 6`} preserveAspectRatio="none" aria-hidden="true">
            <rect class={bad ? 'bar-bad' : 'bar-1'} width={(value / most) * WIDTH} height="6" />
          </svg>
          <span class="num">{number(value)}</span>
        </li>
      ))}
    </ul>
  );
}
