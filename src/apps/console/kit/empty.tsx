import type { ComponentChildren } from 'preact';
import { t } from '../i18n/index.ts';
import { ActionButton } from './action-button.tsx';
import { Code, type Samples } from './code.tsx';
import { Icon, type IconName } from './icon.tsx';

export interface EmptyProps {
  readonly icon: IconName;
  readonly says: string;
  readonly example?: {
    readonly label: string;
    readonly run: () => Promise<unknown>;
  };
  /** The same request from a program. */
  readonly samples?: Samples;
  readonly children?: ComponentChildren;
}

export function Empty({ icon, says, example, samples, children }: EmptyProps) {
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
      {samples && (
        <details>
          <summary class="quiet small">{t('The same from a program')}</summary>
          <Code samples={samples} />
        </details>
      )}
    </div>
  );
}
