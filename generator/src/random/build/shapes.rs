//! Shapes of launches: numbers of work-items and of groups, in one, two and three dimensions.

use super::Builder;
use crate::random::{
    settings::{Feature, Size},
    tree::Axis,
};

/// Work-items of a group, and groups, in each dimension.
const SHAPES: [&[(u32, u32)]; 14] = [
    &[(5, 3)],
    &[(1, 1)],
    &[(1, 3)],
    &[(7, 2)],
    &[(3, 5)],
    &[(11, 1)],
    &[(33, 1)],
    &[(2, 1), (2, 1)],
    &[(3, 2), (1, 2)],
    &[(4, 1), (3, 2)],
    &[(1, 2), (5, 1)],
    &[(2, 2), (1, 1), (3, 1)],
    &[(2, 1), (2, 1), (2, 2)],
    &[(1, 2), (3, 1), (1, 2)],
];

/// Work-items of large groups; only small programs have them, because others would take too long.
const LARGE: [u32; 4] = [513, 600, 768, 1024];

impl Builder<'_> {
    /// Chooses the shape of every launch anew, if the program has an unusual one.
    pub(super) fn choose_shape(&mut self, size: Size) {
        if !self.has(Feature::LaunchShapes) {
            return;
        }
        let axes: Vec<Axis> = if size == Size::Small && self.choices.one_in(3) {
            vec![Axis { group: self.choices.pick(&LARGE), groups: 1 }]
        } else {
            let shape = self.choices.pick(&SHAPES);
            shape.iter().map(|&(group, groups)| Axis { group, groups }).collect()
        };
        let program = &mut self.program;
        program.group = axes.iter().map(|axis| axis.group).product();
        program.items = program.group * axes.iter().map(|axis| axis.groups).product::<u32>();
        program.axes = axes;
    }
}
