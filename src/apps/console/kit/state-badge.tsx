const GOOD =
  /^(ready|passed|active|completed|done|delivered|indexed|approved|clean|published|human|received|granted|resolved|succeeded|answered)$/;
const BAD =
  /^(failed|error|dead|revoked|rejected|violations|critical|high|gone|lost|cancelled|not_ready|infected|unresolved)$/;

/** The colour adds no information to the word, for people who cannot see it. */
export function StateBadge({ of }: { readonly of: string | null | undefined }) {
  if (!of) return <>–</>;
  const kind = GOOD.test(of) ? 'good' : BAD.test(of) ? 'bad' : 'warn';
  return <span class={`state ${kind}`}>{of.replaceAll('_', ' ')}</span>;
}
