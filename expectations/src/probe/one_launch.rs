//! Rounds that are one launch, with all that kernels are given and all that memory must hold afterwards: what a tester
//! needs that sets arguments, launches and compares, and nothing else.

use super::{
    Argument, BufferKind, GroupSize, Launch, Limits, MAIN_PROGRAM, Probe, RequiredValues, Shape,
    Step,
    element::{Layout, Scalar},
    memory::Round,
    plan::LimitScope,
};

/// A round of a probe as one launch.
#[derive(Clone, Debug, PartialEq)]
pub struct OneLaunch {
    pub kernel: String,
    /// Number of work-items and shape of their groups.
    pub shape: Shape,
    /// Arguments of the kernel.
    pub arguments: Vec<LaunchArgument>,
}

/// Argument of a kernel, with the contents that it must have afterwards.
#[derive(Clone, Debug, PartialEq)]
pub enum LaunchArgument {
    /// Memory.
    Buffer {
        /// Layout of an element, without padding.
        layout: Layout,
        /// First contents.
        before: Vec<u8>,
        /// Contents that are required after the launch.
        after: Vec<u8>,
    },
    /// No memory.
    Null,
    /// Local memory of this many bytes.
    Local(usize),
    /// A scalar, and its bytes.
    Scalar(Scalar, Vec<u8>),
}

impl Probe {
    /// Returns the rounds of the probe as launches on a device with these limits. Returns `None` if a round is more
    /// or less than one launch and its checks, or where an element has padding.
    ///
    /// # Errors
    ///
    /// Fails if an expression has no value.
    pub fn launches(&self, limits: &Limits) -> Result<Option<Vec<OneLaunch>>, String> {
        let Some(launch) = self.only_launch() else { return Ok(None) };
        let shapes = self.possible_shapes(limits);
        shapes.map(|(index, shape)| self.launched(launch, index, shape, limits)).collect()
    }

    /// Returns the launch, if every step after it only checks memory.
    fn only_launch(&self) -> Option<&Launch> {
        let (Step::Launch(launch), checks) = self.steps.split_first()? else { return None };
        let judges = |step: &Step| match step {
            Step::Check(check) => matches!(check.seen, RequiredValues::Values { .. }),
            _ => false,
        };
        let is_plain = launch.program == MAIN_PROGRAM
            && launch.device == 0
            && launch.group == GroupSize::Shape
            && launch.prints.is_none()
            && self.buffers.iter().all(|buffer| {
                buffer.kind == BufferKind::Buffer
                    && buffer.program == MAIN_PROGRAM
                    && buffer.layout.fields.iter().map(|field| field.scalar.size()).sum::<usize>()
                        == buffer.layout.size
            });
        (is_plain && checks.iter().all(judges)).then_some(launch)
    }

    fn launched(
        &self,
        launch: &Launch,
        index: usize,
        shape: &Shape,
        limits: &Limits,
    ) -> Result<Option<OneLaunch>, String> {
        let before = Round::new(self, index, limits)?;
        let mut after = Round::new(self, index, limits)?;
        for step in &self.steps {
            if let Step::Check(check) = step {
                after.store_required(check)?;
            }
        }
        let mut arguments = Vec::new();
        let mut named: Vec<&str> = Vec::new();
        for argument in &launch.arguments {
            arguments.push(match argument {
                // One that is given twice has one content.
                Argument::Buffer(name) if named.contains(&name.as_str()) => return Ok(None),
                Argument::Buffer(name) => {
                    named.push(name);
                    LaunchArgument::Buffer {
                        layout: before.layout(name)?.clone(),
                        before: before.contents(name).to_vec(),
                        after: after.contents(name).to_vec(),
                    }
                }
                Argument::Null => LaunchArgument::Null,
                Argument::Local(bytes) => match usize::try_from(bytes.value(&before)?) {
                    Ok(bytes) => LaunchArgument::Local(bytes),
                    Err(_) => return Ok(None),
                },
                Argument::Scalar(scalar, value) => {
                    LaunchArgument::Scalar(*scalar, scalar.bytes(value.value(&before)?))
                }
                Argument::Object(..)
                | Argument::Sampler(_)
                | Argument::Queue
                | Argument::Repeated(..) => return Ok(None),
            });
        }
        Ok(Some(OneLaunch { kernel: launch.kernel.clone(), shape: shape.clone(), arguments }))
    }

    /// Returns the options of the build where they are the same on every device. Returns `None` if they depend on
    /// the device, or where the device has to meet a condition first.
    pub fn options_anywhere(&self) -> Option<Vec<String>> {
        let unknown = Limits::new();
        let is_met = self.needs.iter().all(|need| need.holds(&LimitScope(&unknown)) == Ok(true));
        if !is_met {
            return None;
        }
        self.build_options(&unknown).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::read::read;

    const PROBE: &str = r#"
seed = 1
shapes = [{ items = [4], group = [2] }, { items = [2, 2], group = [1, 2] }]
[buffer.in]
holds = "uint"
length = "items"
fill = "3 * i"
[buffer.out]
holds = "uint"
length = "items"
fill = "7"
[[step]]
launch = { kernel = "k", arguments = ["in", "out", "local 8 * group_size", "int 5"] }
[[step]]
check = { buffer = "out", equals = "in[i] + 1", only = "i < 2" }
"#;

    fn launches(text: &str) -> Option<Vec<OneLaunch>> {
        read("probe", text).unwrap().launches(&Limits::new()).unwrap()
    }

    #[test]
    fn a_round_is_what_is_given_and_what_must_be_left() {
        let launches = launches(PROBE).unwrap();
        assert_eq!(launches.len(), 2);
        let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let layout = Layout::parse("uint").unwrap();
        let buffer = |before: &[u32], after: &[u32]| LaunchArgument::Buffer {
            layout: layout.clone(),
            before: words(before),
            after: words(after),
        };
        let expected = [
            buffer(&[0, 3, 6, 9], &[0, 3, 6, 9]),
            // What the condition does not choose is as it was.
            buffer(&[7, 7, 7, 7], &[1, 4, 7, 7]),
            LaunchArgument::Local(16),
            LaunchArgument::Scalar(Scalar::Signed(4), vec![5, 0, 0, 0]),
        ];
        assert_eq!(launches[0].arguments, expected);
        assert_eq!(launches[1].shape.items, [2, 2]);
    }

    #[test]
    fn more_than_one_launch_is_none() {
        let twice = |line: &str| PROBE.replacen("[[step]]\ncheck", &format!("{line}\ncheck"), 1);
        let launch = "launch = { kernel = \"k\", arguments = [\"in\", \"out\"] }";
        assert_eq!(launches(&twice(&format!("[[step]]\n{launch}\n[[step]]"))), None);
        let recorded = "check = { buffer = \"in\", record = [\"a\", \"b\", \"c\", \"d\"] }";
        assert_eq!(launches(&twice(&format!("[[step]]\n{recorded}\n[[step]]"))), None);
        // Between the elements are bytes that may hold anything.
        assert_eq!(launches(&PROBE.replace("\"uint\"", "\"uint, pad 4\"")), None);
        assert_eq!(
            launches(&PROBE.replace("\"in\", \"out\", ", "\"in\", \"in\", \"out\", ")),
            None
        );
    }

    #[test]
    fn options_that_depend_on_the_device_are_known_nowhere() {
        let options =
            |more: &str| read("probe", &format!("{more}{PROBE}")).unwrap().options_anywhere();
        assert_eq!(options(""), Some(Vec::new()));
        assert_eq!(
            options("options = [\"-cl-kernel-arg-info\"]"),
            Some(vec!["-cl-kernel-arg-info".into()])
        );
        assert_eq!(options("needs = [\"image_support\"]"), None);
        assert_eq!(options("define = { N = \"local_mem_size\" }"), None);
    }
}
