import { useEffect, useState } from 'preact/hooks';
import { get, type Json, ServerUnreachable } from '../data/api.ts';
import { t } from '../i18n/index.ts';
import { ErrorNotice, LoadingState } from './page.tsx';
import { Table, type TableProps } from './table.tsx';

const AGAIN_MS = 2_000;

export interface PagedTableProps extends Omit<TableProps, 'rows'> {
  readonly path: string;
  readonly turn?: number;
  readonly againWhile?: (row: Json) => boolean;
  readonly onEmpty?: () => void;
}

export function PagedTable({ path, turn = 0, againWhile, onEmpty, ...table }: PagedTableProps) {
  const [rows, setRows] = useState<readonly Json[] | null>(null);
  const [cursor, setCursor] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [again, setAgain] = useState(0);
  useEffect(() => {
    let gone = false;
    let timer = 0;
    const readAgain = () => setAgain((one) => one + 1);
    get(path).then(
      ({ data, next_cursor }) => {
        if (gone) return;
        setRows(data);
        setCursor(next_cursor ?? null);
        setError(null);
        if (data.length === 0) onEmpty?.();
        if (againWhile && data.some(againWhile)) timer = window.setTimeout(readAgain, AGAIN_MS);
      },
      (thrown: Error) => {
        if (gone) return;
        setError(thrown);
        if (thrown instanceof ServerUnreachable) timer = window.setTimeout(readAgain, AGAIN_MS);
      },
    );
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [path, turn, again]);
  const further = async () => {
    try {
      const mark = path.includes('?') ? '&' : '?';
      const { data, next_cursor } = await get(`${path}${mark}cursor=${encodeURIComponent(cursor ?? '')}`);
      setRows((known) => [...(known ?? []), ...data]);
      setCursor(next_cursor ?? null);
    } catch (thrown) {
      setError(thrown as Error);
    }
  };
  if (rows === null) return <LoadingState error={error} />;
  return (
    <>
      <ErrorNotice error={error} />
      <Table {...table} rows={rows} />
      {cursor !== null && (
        <button type="button" onClick={further}>
          {t('More')}
        </button>
      )}
    </>
  );
}
