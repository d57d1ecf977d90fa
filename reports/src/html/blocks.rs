//! Unexpected findings of a run: one block for those that look alike, and the findings with a page of their own.

use std::{cmp::Reverse, collections::BTreeMap};

use expectations::judge::Finding;
use results::cases::Cases;

use crate::alike::{Alike, alike};

/// Numbers of findings with a page of their own: of each rule in each block, and of each device.
const PAGES_OF_A_RULE: usize = 8;
const PAGES_OF_A_DEVICE: usize = 400;

/// The unexpected findings of a run: numbers of cases, in order, each with the index of its rule.
#[derive(Default)]
pub(super) struct UnexpectedFindings(Vec<(usize, usize)>);

/// Unexpected findings that look alike.
pub(super) struct Block {
    pub(super) alike: Alike,
    pub(super) finding: Finding,
    /// Number of findings by rule.
    pub(super) rules: BTreeMap<usize, usize>,
    /// Rule of the first finding.
    pub(super) rule: usize,
}

impl UnexpectedFindings {
    /// Adds a finding behind the others.
    pub(super) fn push(&mut self, case: usize, rule: usize) {
        self.0.push((case, rule));
    }

    /// Returns the blocks: the worst first, of equally bad ones the largest first.
    pub(super) fn blocks(&self, cases: &Cases) -> Vec<Block> {
        let numbers: Vec<usize> = self.0.iter().map(|&(case, _)| case).collect();
        let block = |alike: Alike| {
            let first = alike.cases[0];
            let mut rules = BTreeMap::new();
            for &case in &alike.cases {
                *rules.entry(self.rule(case)).or_default() += 1;
            }
            Block { finding: cases.get(first).finding, rule: self.rule(first), rules, alike }
        };
        let mut blocks: Vec<Block> = alike(cases, &numbers).into_iter().map(block).collect();
        blocks.sort_by_key(|block| {
            (Reverse(block.finding.kind.badness()), Reverse(block.alike.cases.len()))
        });
        blocks
    }

    /// Returns the cases that have a page, with their rules: the first of each block, then the first of each of its
    /// rules.
    pub(super) fn with_page(&self, blocks: &[Block]) -> BTreeMap<usize, usize> {
        let firsts = blocks.iter().map(|block| block.alike.cases[0]);
        let further = blocks.iter().flat_map(|block| {
            let mut of_rules: BTreeMap<usize, usize> = BTreeMap::new();
            block.alike.cases.iter().copied().filter(move |&case| {
                let of_rule = of_rules.entry(self.rule(case)).or_default();
                *of_rule += 1;
                *of_rule <= PAGES_OF_A_RULE
            })
        });
        let mut pages = BTreeMap::new();
        for case in firsts.chain(further) {
            if pages.len() == PAGES_OF_A_DEVICE {
                break;
            }
            pages.insert(case, self.rule(case));
        }
        pages
    }

    fn rule(&self, case: usize) -> usize {
        let place = self.0.binary_search_by_key(&case, |&(case, _)| case);
        place.map_or(0, |place| self.0[place].1)
    }
}
