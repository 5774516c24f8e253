import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify';
import type { TSchema } from 'typebox';
import type { OutgoingEvent } from '../surface.ts';

declare module 'fastify' {
  interface FastifySchema {
    /** Leaves the route out of the description. */
    hide?: boolean;
    summary?: string;
    description?: string;
    operationId?: string;
    tags?: readonly string[];
  }
  interface FastifyContextConfig {
    /** The fields of a multipart form that the route reads with `readForm`; files are `Type.Unsafe` with `format: binary`. */
    form?: TSchema;
    /** The form is one of two bodies that the route takes. */
    formOptional?: boolean;
    /** Bodies of other types that the route reads as bytes, with what they hold. */
    bytes?: { readonly types: readonly string[]; readonly description: string };
    /** The route admits a metered use: caps, credit, concurrency and capacity may refuse it. */
    meters?: boolean;
  }
}

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly surface: string;
  readonly schema: FastifySchema;
  readonly config: NonNullable<RouteOptions['config']>;
}

/** Gathers every route as it is registered; `surface` names who registers now. */
export class OperationBook {
  readonly operations: Operation[] = [];
  readonly events: OutgoingEvent[] = [];
  surface = 'platform';

  gather(app: FastifyInstance): void {
    app.addHook('onRoute', (route: RouteOptions) => {
      if (route.schema?.hide) return;
      for (const method of [route.method].flat()) {
        if (method === 'HEAD' || method === 'OPTIONS') continue;
        this.operations.push({
          method: method.toLowerCase(),
          path: openPath(route.url),
          surface: this.surface,
          schema: route.schema ?? {},
          config: route.config ?? {},
        });
      }
    });
  }
}

const openPath = (url: string): string => url.replace(/:([A-Za-z_]+)/g, '{$1}').replace(/\*$/, '{path}');
