import { t } from '../i18n/index.ts';
import { ChoiceControl, type ControlProps, JsonControl, TextControl } from './controls.tsx';
import { replaced, without } from './document.ts';

const OPERATORS = ['is', 'is_not', 'over', 'under', 'at_least', 'at_most', 'in', 'known'] as const;
type Operator = (typeof OPERATORS)[number];

interface Test {
  readonly value: string;
  readonly operator: Operator;
  readonly other: unknown;
}

interface SimpleRule {
  readonly joined: 'all' | 'any';
  readonly tests: readonly Test[];
}

function testOf(rule: unknown): Test | null {
  if (typeof rule !== 'object' || rule === null) return null;
  const { value, ...tests } = rule as Record<string, unknown>;
  const [entry, ...more] = Object.entries(tests);
  if (typeof value !== 'string' || entry === undefined || more.length > 0) return null;
  const operator = OPERATORS.find((one) => one === entry[0]);
  return operator === undefined ? null : { value, operator, other: entry[1] };
}

/** Returns null for a rule with nested parts, which is edited as JSON. */
function simpleOf(rule: unknown): SimpleRule | null {
  const { all, any } = (rule ?? {}) as { all?: unknown; any?: unknown };
  const list = Array.isArray(all) ? all : Array.isArray(any) ? any : [rule];
  const tests = list.map(testOf);
  if (tests.some((test) => test === null)) return null;
  return { joined: Array.isArray(any) ? 'any' : 'all', tests: tests as Test[] };
}

const ruleOf = ({ value, operator, other }: Test) => ({ value, [operator]: other });
const wholeOf = ({ joined, tests }: SimpleRule): unknown =>
  tests.length === 1 ? ruleOf(tests[0] as Test) : { [joined]: tests.map(ruleOf) };

function scalarOf(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

function otherOf(operator: Operator, text: string): unknown {
  if (operator === 'known') return text !== 'false';
  if (operator === 'in')
    return text
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean)
      .map(scalarOf);
  return scalarOf(text);
}

const shown = (other: unknown): string => (Array.isArray(other) ? other.join(', ') : String(other ?? ''));

export function RuleEditor({ label, value, onChange }: ControlProps<unknown>) {
  const simple = simpleOf(value);
  if (simple === null) return <JsonControl label={label} value={value} onChange={onChange} />;
  const { joined, tests } = simple;
  const set = (next: readonly Test[], how = joined) => onChange(wholeOf({ joined: how, tests: next }));
  return (
    <fieldset class="field">
      <legend class="label">{label}</legend>
      {tests.length > 1 && (
        <ChoiceControl
          label={t('True where')}
          value={joined}
          options={[
            ['all', t('all are true')],
            ['any', t('one is true')],
          ]}
          onChange={(how) => set(tests, how === 'any' ? 'any' : 'all')}
        />
      )}
      {tests.map((test, at) => (
        <div key={at} class="fields">
          <TextControl
            label={t('Value or variable')}
            value={test.value}
            onChange={(name) => set(replaced(tests, at, { ...test, value: name ?? '' }))}
          />
          <ChoiceControl
            label={t('Comparison')}
            value={test.operator}
            options={OPERATORS.map((one) => [one, one.replaceAll('_', ' ')] as const)}
            onChange={(operator = 'is') =>
              set(
                replaced(tests, at, {
                  ...test,
                  operator: operator as Operator,
                  other: otherOf(operator as Operator, shown(test.other)),
                }),
              )
            }
          />
          <TextControl
            label={t('With')}
            value={shown(test.other)}
            onChange={(text = '') =>
              set(replaced(tests, at, { ...test, other: otherOf(test.operator, text) }))
            }
          />
          {tests.length > 1 && (
            <button type="button" class="danger" onClick={() => set(without(tests, at))}>
              {t('Remove')}
              <span class="hidden"> {test.value}</span>
            </button>
          )}
        </div>
      ))}
      <button type="button" onClick={() => set([...tests, { value: '', operator: 'is', other: '' }])}>
        {t('Another comparison')}
      </button>
    </fieldset>
  );
}
