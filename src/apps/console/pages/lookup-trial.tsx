import { useState } from 'preact/hooks';
import type { Flow } from '../canvas/document.ts';
import { RECORD_KINDS } from '../canvas/fields.ts';
import { SimulationPanel, useSimulation } from '../canvas/simulation.tsx';
import { t } from '../i18n/index.ts';
import { Choose } from '../kit/choose.tsx';
import '../canvas/canvas.css';

export interface LookupTrialProps {
  readonly agentId: string;
  readonly lookup: string;
}

const kindName = (kind: string): string =>
  ({
    name: t('Name or street'),
    code: t('Code'),
    email: t('E-mail'),
    digits: t('Digits'),
    phone: t('Telephone number'),
  })[kind] ?? kind;

/** The flow asks for one value of the records, so that the simulation shows what a call would do with an answer. */
const flowOf = (lookup: string, kind: string): Flow => ({
  start: 'ask',
  nodes: [
    { id: 'ask', type: 'ask', slots: [{ name: 'value', kind, lookup }] },
    { id: 'found', type: 'end', say: '{value}' },
    { id: 'not_found', type: 'end' },
  ],
  edges: [
    { from: 'ask', to: 'found' },
    { from: 'ask', to: 'not_found', when: { attempts: true } },
  ],
});

export function LookupTrial({ agentId, lookup }: LookupTrialProps) {
  const [kind, setKind] = useState('name');
  const flow = flowOf(lookup, kind);
  const simulating = useSimulation(agentId, flow, true);
  return (
    <section aria-label={t('Try {name}', { name: lookup })}>
      <div class="filters">
        <Choose
          label={t('Kind')}
          value={kind}
          options={RECORD_KINDS.map((one) => [one, kindName(one)] as const)}
          onChange={(next) => {
            simulating.restart();
            setKind(next);
          }}
        />
      </div>
      <SimulationPanel
        simulating={simulating}
        flow={flow}
        title={t('Try {name}', { name: lookup })}
        says={t('Answer as a caller would, also with a name that is nearly right.')}
      />
    </section>
  );
}
