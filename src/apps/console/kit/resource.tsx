import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Json, post } from '../data/api.ts';
import { t } from '../i18n/index.ts';
import { ActionButton } from './action-button.tsx';
import { Empty, type EmptyProps } from './empty.tsx';
import { type Field, Form } from './form.tsx';
import { PagedTable } from './paged-table.tsx';
import type { Column } from './table.tsx';
import type { BulkAct } from './table-tools.tsx';

export interface ResourceProps {
  readonly caption: string;
  readonly path: string;
  readonly columns: readonly Column[];
  readonly empty?: string;
  readonly teach?: EmptyProps;
  readonly create?: {
    readonly label: string;
    readonly fields: readonly Field[];
    /** Without it, the values are posted to the path. */
    readonly send?: (values: Json) => Promise<Json>;
    readonly made?: (answer: Json) => ComponentChildren;
    readonly isOpen?: boolean;
  };
  readonly acts?: readonly BulkAct[];
  /** The table can be filtered and arranged, and the acts done on many rows. */
  readonly storedAs?: string;
  readonly nameOf?: (row: Json) => string;
  readonly againWhile?: (row: Json) => boolean;
  /** Another number reads the rows again. */
  readonly turn?: number;
}

export function Resource(props: ResourceProps) {
  const { caption, path, columns, empty, teach, create, acts, nameOf, againWhile, storedAs } = props;
  const [changes, setTurn] = useState(0);
  const [made, setMade] = useState<ComponentChildren>(null);
  // The first page of a list that teaches leads straight to its form.
  const [isFirst, setFirst] = useState(false);
  const changed = () => setTurn((one) => one + 1);
  const actions =
    acts === undefined
      ? undefined
      : (row: Json) =>
          acts
            .filter(({ when }) => when?.(row) ?? true)
            .map(({ label, run, danger }) => (
              <ActionButton
                key={label}
                label={label}
                of={nameOf?.(row) ?? row.name ?? row.id}
                danger={danger ?? false}
                run={async () => setMade((await run(row)) as ComponentChildren)}
                then={changed}
              />
            ));
  return (
    <>
      {made}
      <div class="card">
        <PagedTable
          caption={caption}
          path={path}
          columns={columns}
          turn={changes + (props.turn ?? 0)}
          {...(storedAs === undefined ? {} : { storedAs })}
          {...(storedAs === undefined || acts === undefined ? {} : { bulk: acts, onBulkDone: changed })}
          {...(nameOf === undefined ? {} : { nameOf })}
          {...(teach === undefined
            ? empty === undefined
              ? {}
              : { empty }
            : { empty: <Empty {...taught(teach, changed)} />, onEmpty: () => setFirst(true) })}
          {...(actions === undefined ? {} : { actions })}
          {...(againWhile === undefined ? {} : { againWhile })}
        />
      </div>
      {create && (
        <details class="card" open={create.isOpen ?? isFirst}>
          <summary>{create.label}</summary>
          <Form
            fields={create.fields}
            submit={t('Create')}
            clears
            onSubmit={async (values) => {
              const answer = await (create.send ?? ((body) => post(path, body)))(values);
              setMade(create.made?.(answer) ?? null);
              changed();
            }}
          />
        </details>
      )}
    </>
  );
}

const taught = ({ example, ...teach }: EmptyProps, changed: () => void): EmptyProps =>
  example === undefined
    ? teach
    : {
        ...teach,
        example: {
          label: example.label,
          run: async () => {
            await example.run();
            changed();
          },
        },
      };

export const quietly = (work: Promise<unknown>): Promise<null> => work.then(() => null);
