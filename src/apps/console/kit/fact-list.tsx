import type { ComponentChildren } from 'preact';
import { Fragment } from 'preact';

export type Fact = readonly [label: string, value: ComponentChildren];

export function FactList({ of }: { readonly of: readonly Fact[] }) {
  return (
    <dl>
      {of.map(([label, value]) => (
        <Fragment key={label}>
          <dt>{label}</dt>
          <dd>{value === null || value === undefined || value === '' ? '–' : value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

export function JsonBlock({ of }: { readonly of: unknown }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys.
    <pre tabIndex={0}>{JSON.stringify(of, null, 2)}</pre>
  );
}
