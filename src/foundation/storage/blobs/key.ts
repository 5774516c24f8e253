export interface BlobKey {
  readonly area: string;
  readonly owner: string;
  readonly name: string;
}

const AREA = /^[a-z][a-z0-9-]{0,31}$/;
const OWNER = /^[A-Za-z0-9_]{1,80}$/;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/**
 * Every part is a plain word without a separator or a leading dot, so that no file system gives it another meaning.
 */
export function checkArea(area: string): void {
  if (!AREA.test(area)) throw new RangeError(`Not a blob area: ${JSON.stringify(area)}`);
}

export function checkOwner(area: string, owner: string): void {
  checkArea(area);
  if (!OWNER.test(owner)) throw new RangeError(`Not a blob owner: ${JSON.stringify(owner)}`);
}

export function checkKey(key: BlobKey): void {
  checkOwner(key.area, key.owner);
  if (!NAME.test(key.name)) throw new RangeError(`Not a blob name: ${JSON.stringify(key.name)}`);
}
