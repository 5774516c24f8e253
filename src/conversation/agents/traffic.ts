import { createHash } from 'node:crypto';
import { ApiError } from '../../foundation/platform/errors.ts';

/** Maps versions to percentages of the calls: `{"3": 90, "4": 10}`. */
export type Traffic = Readonly<Record<string, number>>;

const wrong = (message: string): ApiError => new ApiError('invalid_request', message, { param: 'traffic' });

export function checkTraffic(traffic: Traffic, latest: number): void {
  const shares = Object.entries(traffic);
  if (shares.length === 0) throw wrong('The traffic has no version.');
  for (const [version] of shares) {
    const number = Number(version);
    if (!/^[1-9][0-9]{0,8}$/.test(version) || number > latest) throw wrong(`There is no version ${version}.`);
  }
  const sum = shares.reduce((so, [, percent]) => so + percent, 0);
  if (sum !== 100) throw wrong(`The shares of all versions add up to ${sum} percent instead of 100.`);
}

/** The same call always gets the same version: a hash of its id chooses one. */
export function versionFor(callId: string, traffic: Traffic): number {
  const point = createHash('sha256').update(callId).digest().readUInt32BE(0) % 100;
  let reached = 0;
  const shares = Object.entries(traffic).sort(([a], [b]) => Number(a) - Number(b));
  for (const [version, percent] of shares) {
    reached += percent;
    if (point < reached) return Number(version);
  }
  throw new Error('the traffic shares add up to less than 100 percent');
}
