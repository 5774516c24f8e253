import { createConsoleSurface } from '../edge/surfaces/console/index.ts';
import { createWidgetSurface } from '../edge/surfaces/widget/index.ts';

/** What is made for browsers. */
export const pageSurfaces = () => [createWidgetSurface(), createConsoleSurface()];
