import { useState } from 'preact/hooks';
import type { Flow, Selection } from '../canvas/document.ts';
import { Drawing } from '../canvas/drawing.tsx';
import { type PathStep, pathMarks } from '../canvas/path-marks.ts';
import type { Json } from '../data/api.ts';
import { length } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { ErrorNotice } from '../kit/page.tsx';
import '../canvas/canvas.css';

/** The flow of the version that served the call, with the way that the call took. */
export function CallPath({ call }: { readonly call: Json }) {
  const { data, error } = useLoad(
    call.agent_id ? `/v1/agents/${call.agent_id}?version=${call.agent_version}` : null,
  );
  const [selection, setSelection] = useState<Selection | null>(null);
  const flow: Flow | null = data?.flow ?? null;
  const path: readonly Json[] = call.path ?? [];
  const marks = flow === null ? null : pathMarks(flow, '', path as readonly PathStep[]);
  return (
    <section class="card low" aria-label={t('Path through the flow')}>
      <div class="row ends">
        <h2>{t('Path through the flow')}</h2>
        {flow !== null && (
          <a class="button" href={to('agents', call.agent_id, 'flow', 'call', call.call_id)}>
            {t('Open the canvas')}
          </a>
        )}
      </div>
      <ErrorNotice error={error} />
      {flow !== null && marks !== null && (
        <Drawing
          graph={flow}
          label={t('Steps of the flow')}
          selection={selection}
          select={setSelection}
          nodeMarks={marks.nodes}
          edgeMarks={marks.edges}
        />
      )}
      <ol class="flow-steps small">
        {path.map(({ node, entered_at_ms, left_by, reason }, at) => (
          <li key={at}>
            <button
              type="button"
              class="plain"
              onClick={() => setSelection({ kind: 'node', id: String(node).split('.')[0] ?? '' })}
            >
              {node}
            </button>{' '}
            {length(entered_at_ms / 1000)}
            {left_by !== null && <span class="quiet"> · {reason ?? left_by}</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}
