import { useEffect, useState } from 'preact/hooks';
import { objectUrl } from '../data/api.ts';

export function AuthorizedImage({ path, label }: { readonly path: string; readonly label: string }) {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    let made: string | null = null;
    objectUrl(path).then(
      (one) => {
        made = one;
        setUrl(one);
      },
      () => setUrl(null),
    );
    return () => {
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [path]);
  return url === null ? null : <img src={url} alt={label} style={{ maxWidth: '100%' }} />;
}
