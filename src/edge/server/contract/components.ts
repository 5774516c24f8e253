/**
 * Moves shapes that several operations share to `components.schemas`, so that generators of clients name each once. A
 * resource is named by its `object` (`telephony.call` is `TelephonyCall`), a list by what it lists, anything else by its
 * `title`, or by where it stands first.
 */

type Json = Record<string, unknown>;

interface Place {
  readonly owner: string;
  readonly names: readonly string[];
}

const REFERENCE = '#/components/schemas/';
/** These hold values, not schemas. */
const VALUES = new Set(['example', 'examples', 'default', 'const', 'enum', 'required']);

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const propertiesOf = (schema: Json): Record<string, Json> =>
  isObject(schema.properties) ? (schema.properties as Record<string, Json>) : {};

/** Only objects with fields get names: a generator makes a model of each. */
const isModel = (value: unknown): value is Json =>
  isObject(value) && value.type === 'object' && Object.keys(propertiesOf(value)).length > 0;

const pascalCase = (...texts: string[]): string =>
  texts
    .flatMap((text) => text.split(/[^A-Za-z0-9]+/))
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');

const singular = (text: string): string => text.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');

const constantOf = (schema: Json | undefined): string | undefined =>
  typeof schema?.const === 'string' ? schema.const : undefined;

export function withComponents(document: Json): Json {
  const components = document.components as Json;
  const naming = new Naming(Object.keys(components.schemas as Json));
  for (const { owner, schema } of rootsOf(document)) naming.count(schema, { owner, names: [] });
  naming.assign();
  const rewritten = rewriteRoots(document, (schema) => naming.rewrite(schema));
  return {
    ...rewritten,
    components: { ...components, schemas: { ...(components.schemas as Json), ...naming.components() } },
  };
}

/** Replaces each reference to a shape by the shape. `Error` and `Problem` stay references. */
export function withoutComponents(document: Json): Json {
  const schemas = (document.components as Json).schemas as Record<string, Json>;
  const shapes = new Map<string, unknown>();
  const expanded = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(expanded);
    if (!isObject(value)) return value;
    const name = referenceOf(value);
    if (name === undefined || name === 'Error' || name === 'Problem')
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, expanded(one)]));
    if (!shapes.has(name)) shapes.set(name, expanded(schemas[name]));
    return shapes.get(name);
  };
  return { ...document, paths: expanded(document.paths), webhooks: expanded(document.webhooks) };
}

function referenceOf({ $ref }: Json): string | undefined {
  return typeof $ref === 'string' && $ref.startsWith(REFERENCE) ? $ref.slice(REFERENCE.length) : undefined;
}

interface Root {
  readonly owner: string;
  readonly schema: Json;
}

function rootsOf(document: Json): Root[] {
  const roots: Root[] = [];
  rewriteRoots(document, (schema, owner) => {
    roots.push({ owner, schema });
    return schema;
  });
  return roots;
}

type Rewrite = (schema: Json, owner: string) => Json;
type Items = Record<string, Record<string, Json>>;

/** The schemas of bodies, of answers and of the events of webhooks. */
function rewriteRoots(document: Json, rewrite: Rewrite): Json {
  const items = (all: Items, ownerOf: (name: string) => string) =>
    mapValues(all, (item, name) =>
      mapValues(item, (operation) => rewriteOperation(operation, ownerOf(name), rewrite)),
    );
  return {
    ...document,
    paths: items(document.paths as Items, pathName),
    webhooks: items(document.webhooks as Items, (type) => pascalCase('webhook', type)),
  };
}

const pathName = (path: string): string =>
  singular(pascalCase(path.replace(/^\/v1\//, '').replace(/\{[^}]*\}/g, '')));

function rewriteOperation(operation: Json, owner: string, rewrite: Rewrite): Json {
  const body = operation.requestBody as Json | undefined;
  return {
    ...operation,
    ...(body ? { requestBody: rewriteContent(body, `${owner}Body`, rewrite) } : {}),
    responses: mapValues(operation.responses as Record<string, Json>, (response) =>
      rewriteContent(response, owner, rewrite),
    ),
  };
}

function rewriteContent(holder: Json, owner: string, rewrite: Rewrite): Json {
  if (!isObject(holder.content)) return holder;
  const content = mapValues(holder.content as Record<string, Json>, (media) =>
    isObject(media.schema) ? { ...media, schema: rewrite(media.schema, owner) } : media,
  );
  return { ...holder, content };
}

interface Shape {
  readonly schema: Json;
  readonly place: Place;
  count: number;
  name?: string;
}

class Naming {
  readonly #shapes = new Map<string, Shape>();
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string>) {
    this.#taken = new Set([...taken].map((name) => name.toLowerCase()));
  }

  /** Counts where each shape stands; within a shape that stands in several places its parts count once. */
  count(schema: unknown, place: Place): void {
    if (Array.isArray(schema)) {
      for (const one of schema) this.count(one, place);
      return;
    }
    if (!isObject(schema)) return;
    if (isModel(schema)) {
      const known = this.#shapes.get(JSON.stringify(schema));
      if (known) {
        known.count++;
        return;
      }
      this.#shapes.set(JSON.stringify(schema), { schema, place, count: 1 });
    }
    const own = titleOf(schema) ?? resourceName(schema);
    const inner = own === undefined ? place : { owner: own, names: [] };
    for (const [key, value] of Object.entries(schema)) {
      if (VALUES.has(key)) continue;
      if (key === 'properties') this.#countFields(schema, inner);
      else this.count(value, key === 'items' ? itemOf(inner) : inner);
    }
  }

  #countFields(schema: Json, { owner, names }: Place): void {
    const isList = listedOf(schema) !== undefined;
    for (const [name, property] of Object.entries(propertiesOf(schema)))
      this.count(property, { owner, names: isList && name === 'data' ? names : [...names, name] });
  }

  assign(): void {
    const shapes = [...this.#shapes.values()];
    const resources = new Map<string, Shape>();
    for (const shape of shapes) {
      const name = resourceName(shape.schema);
      if (name === undefined || shape.schema.title !== undefined) continue;
      const known = resources.get(name);
      if (!known || shape.count > known.count) resources.set(name, shape);
    }
    for (const [name, shape] of resources) this.#name(shape, [name]);
    for (const shape of shapes) {
      const listed = listedOf(shape.schema);
      const item = listed && this.#shapes.get(JSON.stringify(listed));
      if (item?.name !== undefined) this.#name(shape, [`${item.name}List`]);
    }
    for (const shape of shapes) {
      const { count, place, schema } = shape;
      if (shape.name !== undefined || (count < 2 && schema.title === undefined)) continue;
      const [title, suffix] = [titleOf(schema), suffixOf(schema)];
      this.#name(shape, [
        ...(title === undefined ? [] : [title]),
        pascalCase(place.owner, ...place.names.slice(-1), suffix),
        pascalCase(place.owner, ...place.names, suffix),
      ]);
    }
  }

  /** A shape whose names are all taken stays where it stands. Generators write files, whose names may not know case. */
  #name(shape: Shape, wanted: readonly string[]): void {
    const name = wanted.find((one) => !this.#taken.has(one.toLowerCase()));
    if (name === undefined) return;
    this.#taken.add(name.toLowerCase());
    shape.name = name;
  }

  rewrite(schema: Json): Json {
    return this.#rewritten(schema) as Json;
  }

  #rewritten(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.#rewritten(one));
    if (!isObject(value)) return value;
    const name = isModel(value) ? this.#shapes.get(JSON.stringify(value))?.name : undefined;
    return name === undefined ? this.#inner(value) : { $ref: REFERENCE + name };
  }

  #inner(schema: Json): Json {
    const parts = Object.entries(schema).map(([key, value]) => {
      if (VALUES.has(key)) return [key, value];
      // A field may be named like a keyword: `properties` holds schemas by name.
      return [
        key,
        key === 'properties'
          ? mapValues(propertiesOf(schema), (one) => this.#rewritten(one))
          : this.#rewritten(value),
      ];
    });
    return Object.fromEntries(parts);
  }

  components(): Json {
    const named = [...this.#shapes.values()].filter((shape) => shape.name !== undefined);
    named.sort((a, b) => (a.name! < b.name! ? -1 : 1));
    return Object.fromEntries(named.map(({ name, schema }) => [name, this.#inner(schema)]));
  }
}

const mapValues = <T, R>(values: Readonly<Record<string, T>>, map: (value: T, name: string) => R) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]));

const itemOf = ({ owner, names }: Place): Place => ({
  owner,
  names: [...names.slice(0, -1), ...names.slice(-1).map(singular)],
});

/** A list is not a resource, and the answer that a resource was deleted is another one. */
function resourceName(schema: Json): string | undefined {
  const kind = constantOf(propertiesOf(schema).object);
  return kind === undefined || kind === 'list' ? undefined : pascalCase(kind, suffixOf(schema));
}

const titleOf = ({ title }: Json): string | undefined =>
  typeof title === 'string' ? pascalCase(title) : undefined;

function suffixOf(schema: Json): string {
  if (propertiesOf(schema).deleted?.const === true) return 'Deleted';
  return listedOf(schema) === undefined ? '' : 'List';
}

/** Some lists say no `object`; all have `data`, and nothing beside it but the way to the next page. */
function listedOf(schema: Json): Json | undefined {
  const { object, data, ...rest } = propertiesOf(schema);
  const isBare = object === undefined && Object.keys(rest).every((name) => name === 'next_cursor');
  const isList = constantOf(object) === 'list' || isBare;
  return isList && isModel(data?.items) ? data.items : undefined;
}
