import type { ComponentChildren } from 'preact';
import { t } from '../i18n/index.ts';
import { ActionButton } from './action-button.tsx';
import { Code } from './code.tsx';
import { Icon, type IconName } from './icon.tsx';

export interface EmptyProps {
  readonly icon: IconName;
  readonly says: string;
  readonly example?: {
    readonly label: string;
    readonly run: () => Promise<unknown>;
    readonly then?: () => void;
  };
  readonly curl?: string;
  readonly children?: ComponentChildren;
}

export function Empty({ icon, says, example, curl, children }: EmptyProps) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <p>{says}</p>
      {example && (
        <div class="row">
          <ActionButton label={example.label} main run={example.run} />
        </div>
      )}
      {children}
      {curl && (
        <details>
          <summary class="quiet small">{t('The same from a program')}</summary>
          <Code samples={[['curl', curl]]} />
        </details>
      )}
    </div>
  );
}
