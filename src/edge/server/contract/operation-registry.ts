import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify';
import type { TSchema } from 'typebox';
import type { WebhookEventType } from '../surface.ts';

declare module 'fastify' {
  interface FastifySchema {
    hide?: boolean;
    summary?: string;
    description?: string;
    operationId?: string;
    tags?: readonly string[];
  }
  interface FastifyContextConfig {
    /** The fields of a multipart form that the route reads with `readForm`; files are `Type.Unsafe` with `format: binary`. */
    form?: TSchema;
    formOptional?: boolean;
    bytes?: { readonly types: readonly string[]; readonly description: string };
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

export class OperationRegistry {
  readonly operations: Operation[] = [];
  readonly events: WebhookEventType[] = [];
  surface = 'platform';

  collectFrom(app: FastifyInstance): void {
    app.addHook('onRoute', (route: RouteOptions) => {
      if (route.schema?.hide) return;
      for (const method of [route.method].flat()) {
        if (method === 'HEAD' || method === 'OPTIONS') continue;
        this.operations.push({
          method: method.toLowerCase(),
          path: openApiPathOf(route.url),
          surface: this.surface,
          schema: route.schema ?? {},
          config: route.config ?? {},
        });
      }
    });
  }
}

const openApiPathOf = (url: string): string => url.replace(/:([A-Za-z_]+)/g, '{$1}').replace(/\*$/, '{path}');
