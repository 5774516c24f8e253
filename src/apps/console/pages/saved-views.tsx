import { useState } from 'preact/hooks';
import { entered } from '../data/api.ts';
import { t } from '../i18n/index.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { notify } from '../kit/toast.tsx';
import type { View } from './analytics.tsx';

/** Views are stored in this browser only; the server does not change. */
const keyOf = (): string => `trunkline.views.${entered()?.project ?? ''}`;
const stored = (): Record<string, View> => JSON.parse(localStorage.getItem(keyOf()) ?? '{}');

export interface ViewsProps {
  readonly view: View;
  readonly open: (view: View) => void;
}

export function Views({ view, open }: ViewsProps) {
  const [views, setViews] = useState(stored);
  const [name, setName] = useState('');
  const [opened, setOpened] = useState<string | null>(null);
  const keep = (next: Record<string, View>) => {
    localStorage.setItem(keyOf(), JSON.stringify(next));
    setViews(next);
  };
  const remove = async (gone: string) => {
    const { [gone]: _gone, ...rest } = views;
    keep(rest);
    setOpened(null);
    notify(t('The view {name} is removed.', { name: gone }), async () => keep(views));
  };
  const save = (event: Event) => {
    event.preventDefault();
    keep({ ...views, [name]: view });
    setName('');
    notify(t('The view is saved in this browser.'));
  };
  return (
    <>
      {Object.keys(views).length > 0 && (
        <label>
          {t('Saved views')}
          <select
            value=""
            onChange={(event) => {
              const chosen = views[event.currentTarget.value];
              if (chosen === undefined) return;
              setOpened(event.currentTarget.value);
              open(chosen);
            }}
          >
            <option value="">–</option>
            {Object.keys(views).map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
      )}
      {opened !== null && <ActionButton label={t('Remove')} of={opened} run={() => remove(opened)} />}
      <form class="row" onSubmit={save}>
        <label>
          {t('Save this view as')}
          <input required value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <button type="submit">{t('Save')}</button>
      </form>
    </>
  );
}
