import { useState } from 'preact/hooks';
import type { Json } from '../data/api.ts';
import { filled, type Values, variablesOf } from '../data/prompt-variables.ts';
import { t } from '../i18n/index.ts';
import { AgentWidget } from '../kit/agent-widget.tsx';
import { VariableFields } from '../kit/variable-fields.tsx';

const TEXTS = ['persona', 'greeting', 'consent_line'] as const;

/** A telephone call fills the same texts from the variables of its order. */
function configurationOf(agent: Json, values: Values): Json | null {
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
  if (Object.keys(given).length === 0) return null;
  return {
    ...Object.fromEntries(TEXTS.map((name) => [name, filled(agent[name] ?? '', given)])),
    meta: given,
  };
}

/** A call of the agent in the browser, with the variables of its prompt. */
export function TestCall({ agent }: { readonly agent: Json }) {
  const [values, setValues] = useState<Values>({});
  return (
    <AgentWidget agentId={agent.id} configuration={configurationOf(agent, values)}>
      <VariableFields
        legend={t('Variables of this call')}
        names={variablesOf(TEXTS.map((name) => agent[name] ?? '').join('\n'))}
        values={values}
        change={setValues}
      />
    </AgentWidget>
  );
}
