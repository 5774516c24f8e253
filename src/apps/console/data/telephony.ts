import { useEffect, useState } from 'preact/hooks';
import { ApiRefusal, get } from './api.ts';

let asked: Promise<boolean> | null = null;

/** A server without a carrier does not serve the routes of telephony. */
async function ask(): Promise<boolean> {
  try {
    await get('/v1/telephony/numbers?limit=1');
    return true;
  } catch (thrown) {
    if (thrown instanceof ApiRefusal && thrown.status === 404) return false;
    asked = null;
    return true;
  }
}

/** Returns null until the server has answered. */
export function useTelephony(): boolean | null {
  const [serves, setServes] = useState<boolean | null>(null);
  useEffect(() => {
    asked ??= ask();
    void asked.then(setServes);
  }, []);
  return serves;
}
