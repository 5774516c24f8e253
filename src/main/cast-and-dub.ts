import { castParts } from './cast.ts';
import { type DubNeeds, dubParts } from './dub.ts';
import type { CoreServices } from './main.ts';

export function castAndDubParts(services: CoreServices, needs: DubNeeds) {
  const { engine, queue, webhooks, catalogue, retention, model } = needs;
  const cast = castParts(services, { engine, queue, webhooks, catalogue, retention, model });
  const dub = dubParts(services, needs);
  return {
    surfaces: [cast.surface, dub.surface],
    dubs: dub.surface.client,
    personalData: [cast.personalData, dub.personalData],
  };
}
