import { useEffect, useRef, useState } from 'preact/hooks';
import { go } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { Icon } from '../kit/icon.tsx';
import { MENU } from './menu.ts';

const ENTRIES = MENU.flatMap(({ group, pages }) => pages.map((page) => ({ ...page, group })));
const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

export const opensPalette = (event: KeyboardEvent): boolean =>
  event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey;

export function Palette({ close }: { readonly close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  useEffect(() => dialog.current?.showModal(), []);
  const wanted = folded(query);
  const found = ENTRIES.filter(({ label, about = '', group }) =>
    folded(`${label} ${about} ${group}`).includes(wanted),
  );
  const chosen = Math.min(at, found.length - 1);
  const follow = (name: string | undefined) => {
    if (name === undefined) return;
    close();
    go(name);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt(Math.min(chosen + 1, found.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(chosen - 1, 0));
    else if (event.key === 'Enter') follow(found[chosen]?.name);
    else return;
    event.preventDefault();
  };
  return (
    <dialog ref={dialog} class="palette" aria-label={t('Go to a page')} onClose={close}>
      <input
        role="combobox"
        aria-label={t('Go to a page')}
        aria-expanded="true"
        aria-controls="palette-pages"
        aria-activedescendant={found[chosen] && `palette-${found[chosen].name}`}
        placeholder={t('Go to a page')}
        value={query}
        onInput={(event) => {
          setQuery(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div id="palette-pages" class="pages" role="listbox" aria-label={t('Pages')}>
        {found.map(({ name, label, about, icon, group }, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the input's.
          // biome-ignore lint/a11y/useFocusableInteractive: the input has the focus and names the option.
          <div
            key={name}
            id={`palette-${name}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => follow(name)}
          >
            <Icon name={icon} /> {label}{' '}
            <span class="quiet">{about === undefined ? group : `${about} · ${group}`}</span>
          </div>
        ))}
      </div>
    </dialog>
  );
}
