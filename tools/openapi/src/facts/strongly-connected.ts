import type { FactChild, FactNode } from './fact-node.js';

interface Visit {
  readonly node: FactNode;
  readonly children: Iterator<FactChild, undefined>;
  readonly order: number;
  /** The lowest order of an open node that this one leads to. */
  lowest: number;
}

/**
 * The strongly connected groups of everything that `root` leads to, each after all groups that it leads to
 * (Tarjan 1972). The call stack is explicit: a chain of references may be longer than the real one is deep.
 *
 * @param isDone holds for every node that was yielded, once the next one is asked for; nothing is yielded
 * twice
 */
export function* stronglyConnected(
  root: FactNode,
  isDone: (node: FactNode) => boolean,
): Generator<readonly FactNode[]> {
  const orders = new Map<FactNode, number>();
  const open: FactNode[] = [];
  const path: Visit[] = [];
  let entered = 0;
  enter(root);
  for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
    const next = visit.children.next();
    if (next.done !== true) {
      const child = next.value.node;
      if (isDone(child)) continue;
      if (child.kind === 'value') yield [child];
      else follow(child, visit);
    } else {
      path.pop();
      lower(path.at(-1), visit.lowest);
      if (visit.lowest === visit.order) yield close(visit.node);
    }
  }

  function enter(node: FactNode): void {
    const order = entered++;
    orders.set(node, order);
    open.push(node);
    path.push({ node, children: node.children.values(), order, lowest: order });
  }

  function follow(child: FactNode, from: Visit): void {
    const order = orders.get(child);
    if (order === undefined) enter(child);
    else lower(from, order);
  }

  function lower(visit: Visit | undefined, order: number): void {
    if (visit !== undefined && order < visit.lowest) visit.lowest = order;
  }

  function close(first: FactNode): readonly FactNode[] {
    const group = open.splice(open.lastIndexOf(first));
    for (const node of group) orders.delete(node);
    return group;
  }
}
