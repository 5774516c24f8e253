import { createConsoleSurface } from '../surfaces/console/index.ts';
import { createWidgetSurface } from '../surfaces/widget/index.ts';

/** What is made for browsers. */
export const pageSurfaces = () => [createWidgetSurface(), createConsoleSurface()];
