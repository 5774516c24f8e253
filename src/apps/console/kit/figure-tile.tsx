import type { ComponentChildren } from 'preact';

export interface FigureTileProps {
  readonly label: string;
  readonly value: string;
  readonly unit?: string;
  readonly note?: string;
  readonly children?: ComponentChildren;
}

export function FigureTile({ label, value, unit, note, children }: FigureTileProps) {
  return (
    <section class="card figure-tile" aria-label={label}>
      <div class="quiet">{label}</div>
      <div class="number">
        {value} {unit && <span class="unit">{unit}</span>}
      </div>
      {note && <div class="quiet">{note}</div>}
      {children}
    </section>
  );
}
