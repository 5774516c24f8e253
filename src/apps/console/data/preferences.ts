/** This browser stores what a person has arranged, apart for each person who signs in here. */
let person = '';

export function choosePerson(id: string): void {
  person = id;
}

const nameOf = (name: string): string => `trunkline.preferences.${person}.${name}`;

export function readPreference<Value extends object>(name: string): Partial<Value> {
  try {
    return JSON.parse(localStorage.getItem(nameOf(name)) ?? '{}') as Partial<Value>;
  } catch {
    return {};
  }
}

/** The arrangement lasts as long as the page where this browser has no room. */
export function storePreference(name: string, value: object): void {
  try {
    localStorage.setItem(nameOf(name), JSON.stringify(value));
  } catch {}
}
