import { t } from '../i18n/index.ts';
import { ChoiceControl, type ControlProps, ListControl, TextControl, WordsControl } from './controls.tsx';
import { changed, replaced, type Slot, unusedName, without } from './document.ts';
import { RECORD_KINDS, SLOT_KINDS } from './fields.ts';

export interface SlotEditorProps extends ControlProps<readonly Slot[]> {
  readonly taken: readonly string[];
  /** The agent's tables of records. */
  readonly lookups: readonly string[];
}

const options = (values: readonly string[]) => values.map((one) => [one, one] as const);

export function SlotEditor({ label, value = [], onChange, taken, lookups }: SlotEditorProps) {
  const set = (at: number, change: Readonly<Record<string, unknown>>) =>
    onChange(replaced(value, at, changed(value[at] as Slot, change)));
  return (
    <>
      <h3>{label}</h3>
      {value.map((slot, at) => (
        <fieldset key={at} class="field">
          <legend class="label">{slot.name}</legend>
          <TextControl
            label={t('Name of the value')}
            value={slot.name}
            onChange={(name) => set(at, { name: name ?? '' })}
          />
          <ChoiceControl
            label={t('Kind')}
            value={slot.kind}
            options={options(SLOT_KINDS)}
            onChange={(kind) => set(at, { kind })}
          />
          <WordsControl
            label={t('As the agent calls it')}
            value={slot.label}
            onChange={(name) => set(at, { label: name })}
          />
          <WordsControl
            label={t('Question to the caller')}
            value={slot.prompt}
            onChange={(prompt) => set(at, { prompt })}
          />
          {slot.kind === 'choice' && (
            <ListControl
              label={t('Options, one a line')}
              value={slot.options}
              onChange={(list) => set(at, { options: list })}
            />
          )}
          {RECORD_KINDS.includes(slot.kind) && (lookups.length > 0 || slot.lookup !== undefined) && (
            <ChoiceControl
              label={t('Read against the records')}
              value={slot.lookup}
              none="–"
              options={options(lookups)}
              onChange={(lookup) => set(at, { lookup })}
            />
          )}
          {slot.kind !== 'choice' && slot.kind !== 'text' && (
            <ChoiceControl
              label={t('Read back')}
              value={slot.confirm}
              none="auto"
              options={options(['always', 'never'])}
              onChange={(confirm) => set(at, { confirm })}
            />
          )}
          <button type="button" class="danger" onClick={() => onChange(without(value, at))}>
            {t('Remove')}
            <span class="hidden"> {slot.name}</span>
          </button>
        </fieldset>
      ))}
      <p>
        <button
          type="button"
          onClick={() => onChange([...value, { name: unusedName('answer', taken), kind: 'text' }])}
        >
          {t('Ask for another value')}
        </button>
      </p>
    </>
  );
}
